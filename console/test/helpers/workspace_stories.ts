// Forms and dialogs of a workspace's own things: keys, applications, records, the workspace itself.
import { autofixStories } from './autofix_stories.ts'
import { automationStories } from './automation_stories.ts'
import { cloudStories } from './cloud_stories.ts'
import { integrationStories } from './integration_stories.ts'
import { issueStories } from './issue_stories.ts'
import { again, button, pick, type Story, text } from './story.ts'
import { telemetryStories } from './telemetry_stories.ts'
import { threadStories } from './thread_stories.ts'

const keys: readonly Story[] = [
  {
    name: 'new key',
    call: 'POST /v1/api_keys',
    open: async ({ page, workspaceId }) => {
      await page.goto(`/w/${workspaceId}/keys/new`)
      await page.getByLabel('Name').fill('Kept through it all')
      await page.getByLabel('teams:read').check()
    },
    press: ({ page }) => button(page, 'Create the key'),
    done: ({ page }) => text(page, 'Copy the secret now'),
  },
  {
    name: 'key',
    call: 'PATCH /v1/api_keys/',
    open: async ({ page, workspaceId, made }) => {
      await page.goto(`/w/${workspaceId}/keys/${made.keyId}`)
      await button(page, 'Edit').click()
      await page.getByLabel('Name').fill('Renamed key')
      await page.getByRole('combobox', { name: 'Allowed IP addresses' }).fill('203.0.113.0/24')
      await page.keyboard.press('Enter')
      await page.getByLabel('teams:read').check()
    },
    press: ({ page }) => button(page, 'Save'),
    done: ({ page }) => text(page, /^Saved\.$/),
  },
  {
    name: 'switch of a key',
    call: 'PATCH /v1/api_keys/',
    open: async ({ page, workspaceId, made }) => {
      await page.goto(`/w/${workspaceId}/keys/${made.keyId}`)
      await page.getByRole('switch').waitFor()
    },
    press: ({ page }) => page.getByRole('switch').locator('..'),
    again,
    done: ({ page }) => text(page, 'Enabled: off.'),
  },
  {
    name: 'rotation of a key',
    call: 'POST /v1/api_keys/',
    open: async ({ page, workspaceId, made, dialog }) => {
      await page.goto(`/w/${workspaceId}/keys/${made.keyId}`)
      await button(page, 'Rotate').click()
      await dialog.getByLabel('The old secret works for').fill('7')
    },
    press: ({ dialog }) => button(dialog, 'Rotate'),
    done: ({ page }) => text(page, 'Copy the secret now'),
  },
]

const applications: readonly Story[] = [
  {
    name: 'new OAuth client',
    call: 'POST /v1/oauth_clients',
    open: async ({ page, workspaceId }) => {
      await page.goto(`/w/${workspaceId}/oauth_clients/new`)
      await page.getByLabel('Name').fill('Release notes')
      await pick(page, 'Type', 'Confidential')
      await page.getByRole('combobox', { name: 'Redirect URIs' }).fill('https://app.example.com/back')
      await page.keyboard.press('Enter')
      await page.getByLabel('teams:read').check()
    },
    press: ({ page }) => button(page, 'Create'),
    done: ({ page }) => text(page, 'Copy the secret now'),
  },
  {
    name: 'OAuth client',
    call: 'PATCH /v1/oauth_clients/',
    open: async ({ page, workspaceId, made }) => {
      await page.goto(`/w/${workspaceId}/oauth_clients/${made.clientId}`)
      await button(page, 'Edit').click()
      await page.getByLabel('Description').fill('Writes release notes')
    },
    press: ({ page }) => button(page, 'Save'),
    done: ({ page }) => text(page, /^Saved\.$/),
  },
  {
    name: 'secret of a client',
    call: 'POST /v1/oauth_clients/',
    open: async ({ page, workspaceId, made }) => {
      await page.goto(`/w/${workspaceId}/oauth_clients/${made.clientId}`)
      await button(page, 'New secret').click()
    },
    press: ({ dialog }) => button(dialog, 'New secret'),
    done: ({ page }) => text(page, 'Copy the secret now'),
  },
  {
    name: 'policy of a tool',
    call: 'PATCH /v1/agent_tools/',
    open: async ({ page, workspaceId }) => {
      await page.goto(`/w/${workspaceId}/agent_tools`)
      await page.getByLabel('Find a tool').fill('delete a team')
    },
    press: ({ page }) => page.getByRole('button', { name: /^teams_del for automation/ }),
    again,
    done: ({ page }) => text(page, 'The policy is changed.'),
  },
]

const workspace: readonly Story[] = [
  {
    name: 'audit export',
    call: 'GET /v1/audit_logs/',
    open: async ({ page, workspaceId }) => {
      await page.goto(`/w/${workspaceId}/audit_log?outcome=success`)
      await button(page, 'Export').click()
    },
    press: ({ page }) => page.getByRole('menuitem', { name: 'CSV' }),
    again,
    done: ({ page }) => text(page, 'The audit log is downloaded.'),
  },
  {
    name: 'workspace',
    call: 'PATCH /v1/workspaces/',
    open: async ({ page, workspaceId }) => {
      await page.goto(`/w/${workspaceId}/settings`)
      await page.getByLabel('Name').fill('Engines')
      await page.getByLabel('Description').fill('To calculate')
    },
    press: ({ page }) => button(page, 'Save'),
    done: ({ page }) => text(page, 'The workspace is saved.'),
  },
  {
    name: 'rules of a workspace',
    call: 'PATCH /v1/workspaces/',
    open: async ({ page, workspaceId }) => {
      await page.goto(`/w/${workspaceId}/settings`)
      await page.getByLabel('Keep the audit log for (days)').fill('400')
      await page.getByLabel('API keys expire after (days)').fill('90')
    },
    press: ({ page }) => page.getByRole('button', { name: 'Save' }).nth(1),
    done: ({ page }) => text(page, 'The rules are saved.'),
  },
  {
    name: 'new workspace',
    call: 'POST /v1/workspaces',
    open: async ({ page, workspaceId, dialog }) => {
      await page.goto(`/w/${workspaceId}/settings`)
      await page.getByRole('banner').getByRole('button').first().click()
      await page.getByRole('menuitem', { name: 'New workspace' }).click()
      await dialog.getByLabel('Name').fill('Second home')
      await dialog.getByLabel('Description').fill('To try things')
    },
    press: ({ dialog }) => button(dialog, 'Create'),
    done: ({ page }) => text(page, 'Second home is ready.'),
  },
  {
    name: 'end of a workspace',
    call: 'DELETE /v1/workspaces/',
    open: async ({ page, workspaceId, dialog }) => {
      await page.goto(`/w/${workspaceId}/settings`)
      const slug = await page.getByLabel('Slug').inputValue()
      await button(page, 'Delete the workspace').click()
      await dialog.getByLabel('to confirm').fill(slug)
    },
    press: ({ dialog }) => button(dialog, 'Delete the workspace'),
    done: ({ page }) => button(page, 'Restore it'),
  },
]

export const workspaceStories: readonly Story[] = [
  ...keys,
  ...applications,
  ...issueStories,
  ...threadStories,
  ...autofixStories,
  ...telemetryStories,
  ...integrationStories,
  ...automationStories,
  ...cloudStories,
  ...workspace,
]
