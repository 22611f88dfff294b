// Every form and dialog after log-in that takes input: how to open it, what to fill in, what to press, what then shows.
import type { Locator, Page } from 'playwright-core'
import { codeFor, type Person, password } from './browser.ts'
import type { CallPattern } from './faults.ts'

export type Made = { keyId: string; teamId: string; otherTeamId: string; clientId: string; guest: string }
export type Scene = Pick<Person, 'page' | 'workspaceId'> & { made: Made; dialog: Locator }

export type Story = {
  name: string
  call: CallPattern
  /** Leaves the form open and filled in. */
  open: (scene: Scene) => Promise<void>
  press: (scene: Scene) => Locator
  /** No session is needed for the call. */
  isPublic?: true
  /** What acts at once, such as a switch, is done again by a button beside the message. */
  again?: (scene: Scene) => Locator
  done: (scene: Scene) => Locator
}

const text = (page: Page, words: string | RegExp) => page.getByText(words).first()
const button = (within: Page | Locator, name: string) => within.getByRole('button', { name, exact: true }).first()
const again = ({ page }: Scene) => button(page, 'Try again')

async function pick(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label, exact: true }).click()
  await page.getByRole('option', { name: option }).first().click()
}

const aboutMe: readonly Story[] = [
  {
    name: 'profile',
    call: 'PATCH /v1/auth/me',
    open: async ({ page }) => {
      await page.goto('/me/profile')
      await page.getByLabel('Forename').fill('Ada')
      await page.getByLabel('Surname').fill('Lovelace')
    },
    press: ({ page }) => button(page, 'Save'),
    done: ({ page }) => text(page, 'Your profile is saved.'),
  },
  {
    name: 'notification settings',
    call: 'PUT /v1/auth/notifications',
    open: async ({ page }) => {
      await page.goto('/me/notifications')
      await page.getByRole('switch', { name: 'Digest' }).waitFor()
    },
    press: ({ page }) => page.getByRole('switch', { name: 'Digest' }).locator('..'),
    again,
    done: ({ page }) => text(page, /^Saved\.$/),
  },
  {
    name: 'export of my records',
    call: 'GET /v1/auth/export',
    open: async ({ page }) => void (await page.goto('/me/privacy')),
    press: ({ page }) => button(page, 'Download'),
    done: ({ page }) => text(page, 'The export is downloaded.'),
  },
]

const people: readonly Story[] = [
  {
    name: 'invite',
    call: 'POST /v1/workspace_members/',
    open: async ({ page, workspaceId, dialog }) => {
      await page.goto(`/w/${workspaceId}/members?invite=true`)
      await dialog.getByLabel('E-mail address').fill('grace@example.com')
      await pick(page, 'Role', 'Viewer')
      await dialog.getByLabel('Good for (days)').fill('3')
    },
    press: ({ dialog }) => button(dialog, 'Send the invite'),
    done: ({ dialog }) => dialog.getByText('The invite is mailed'),
  },
  {
    name: 'role of a member',
    call: 'PATCH /v1/workspace_members/',
    open: async ({ page, workspaceId, made }) => {
      await page.goto(`/w/${workspaceId}/members`)
      await page.getByRole('combobox', { name: `Role of ${made.guest}` }).click()
    },
    press: ({ page }) => page.getByRole('option', { name: 'Viewer' }),
    again,
    done: ({ page }) => text(page, 'The member is changed.'),
  },
  {
    name: 'new team',
    call: 'POST /v1/teams',
    open: async ({ page, workspaceId, dialog }) => {
      await page.goto(`/w/${workspaceId}/teams`)
      await button(page, 'New team').click()
      await dialog.getByLabel('Name').fill('Analytical Engine')
      await dialog.getByLabel('What it does').fill('Weaves algebra')
    },
    press: ({ dialog }) => button(dialog, 'Create'),
    done: ({ page }) => page.getByRole('heading', { name: 'Analytical Engine' }),
  },
  {
    name: 'team',
    call: 'PATCH /v1/teams/',
    open: async ({ page, workspaceId, made }) => {
      await page.goto(`/w/${workspaceId}/teams/${made.teamId}`)
      await page.getByLabel('What it does').fill('Builds it')
    },
    press: ({ page }) => button(page, 'Save'),
    done: ({ page }) => text(page, 'The team is changed.'),
  },
  {
    name: 'member of a team',
    call: 'POST /v1/teams/',
    open: async ({ page, workspaceId, made }) => {
      await page.goto(`/w/${workspaceId}/teams/${made.teamId}`)
      await pick(page, 'Add a member', made.guest)
    },
    press: ({ page }) => button(page, 'Add'),
    done: ({ page }) => text(page, 'is in the team.'),
  },
  {
    name: 'end of a team',
    call: 'DELETE /v1/teams/',
    open: async ({ page, workspaceId, made, dialog }) => {
      await page.goto(`/w/${workspaceId}/teams/${made.teamId}`)
      await button(page, 'Delete').click()
      await dialog.getByRole('combobox', { name: 'Hand its keys and records to' }).click()
      await page.getByRole('option', { name: 'Reserve' }).click()
    },
    press: ({ dialog }) => button(dialog, 'Delete the team'),
    done: ({ page }) => text(page, 'is deleted.'),
  },
  {
    name: 'end of a membership',
    call: 'DELETE /v1/workspace_members/',
    open: async ({ page, workspaceId, made, dialog }) => {
      await page.goto(`/w/${workspaceId}/members`)
      await button(page, `Actions for ${made.guest}`).click()
      await page.getByRole('menuitem', { name: 'Remove' }).click()
      await dialog.getByText('No key stops.').waitFor()
    },
    press: ({ dialog }) => button(dialog, 'Remove'),
    done: ({ page }) => text(page, 'The member is removed.'),
  },
]

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
      await page.getByLabel('Name').fill('Renamed key')
      await page.getByRole('combobox', { name: 'Allowed addresses' }).fill('203.0.113.0/24')
      await page.keyboard.press('Enter')
      await page.getByLabel('teams:read').check()
    },
    press: ({ page }) => button(page, 'Save'),
    done: ({ page }) => text(page, 'The key is changed.'),
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
    done: ({ page }) => text(page, 'The key is disabled.'),
  },
  {
    name: 'rotation of a key',
    call: 'POST /v1/api_keys/',
    open: async ({ page, workspaceId, made, dialog }) => {
      await page.goto(`/w/${workspaceId}/keys/${made.keyId}`)
      await button(page, 'Rotate').click()
      await dialog.getByLabel('The old secret goes on').fill('7')
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
      await page.getByRole('radio', { name: 'Confidential' }).check()
      await page.getByRole('combobox', { name: 'Addresses to come back to' }).fill('https://app.example.com/back')
      await page.keyboard.press('Enter')
      await page.getByLabel('teams:read').check()
    },
    press: ({ page }) => button(page, 'Create the client'),
    done: ({ page }) => text(page, 'Copy the secret now'),
  },
  {
    name: 'OAuth client',
    call: 'PATCH /v1/oauth_clients/',
    open: async ({ page, workspaceId, made }) => {
      await page.goto(`/w/${workspaceId}/oauth_clients/${made.clientId}`)
      await page.getByLabel('What it does').fill('Writes release notes')
    },
    press: ({ page }) => button(page, 'Save'),
    done: ({ page }) => text(page, 'The client is changed.'),
  },
  {
    name: 'secret of a client',
    call: 'POST /v1/oauth_clients/',
    open: async ({ page, workspaceId, made }) => {
      await page.goto(`/w/${workspaceId}/oauth_clients/${made.clientId}`)
      await button(page, 'New secret').click()
    },
    press: ({ dialog }) => button(dialog, 'Make a new secret'),
    done: ({ page }) => text(page, 'Copy the secret now'),
  },
  {
    name: 'policy of a tool',
    call: 'PATCH /v1/agent_tools/',
    open: async ({ page, workspaceId }) => {
      await page.goto(`/w/${workspaceId}/agent_tools`)
      await page.getByLabel('Find a tool').fill('delete a team')
      await button(page, 'Change the policy of teams_del').click()
      await pick(page, 'Everybody', 'Deny')
    },
    press: ({ dialog }) => button(dialog, 'Save'),
    done: ({ page }) => text(page, 'The policy is changed.'),
  },
]

const workspace: readonly Story[] = [
  {
    name: 'new record of any area',
    call: 'POST /v1/teams',
    open: async ({ page, workspaceId }) => {
      await page.goto(`/w/${workspaceId}/a/teams/new`)
      await page.getByLabel('Name').fill('By schema')
      await page.getByLabel('Color').fill('#3366cc')
    },
    press: ({ page }) => button(page, 'Create'),
    done: ({ page }) => page.getByRole('heading', { name: 'By schema' }),
  },
  {
    name: 'record of any area',
    call: 'PATCH /v1/teams/',
    open: async ({ page, workspaceId, made }) => {
      await page.goto(`/w/${workspaceId}/a/teams/${made.otherTeamId}`)
      await page.getByLabel('Description').fill('Drawn from the contract')
    },
    press: ({ page }) => button(page, 'Save'),
    done: ({ page }) => text(page, /^Saved\.$/),
  },
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
      await page.getByLabel('What it is for').fill('To calculate')
    },
    press: ({ page }) => button(page, 'Save'),
    done: ({ page }) => text(page, 'The workspace is saved.'),
  },
  {
    name: 'rules of a workspace',
    call: 'PATCH /v1/workspaces/',
    open: async ({ page, workspaceId }) => {
      await page.goto(`/w/${workspaceId}/settings`)
      await page.getByLabel('Audit log is kept for (days)').fill('400')
      await page.getByLabel('API keys end after (days)').fill('90')
    },
    press: ({ page }) => page.getByRole('button', { name: 'Save' }).last(),
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
      await dialog.getByLabel('What it is for').fill('To try things')
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

/** Last, because the address and the password are what one logs in with. */
const credentials: readonly Story[] = [
  {
    name: 'address',
    call: 'PATCH /v1/auth/me',
    open: async ({ page }) => {
      await page.goto('/me/profile')
      await page.getByLabel('E-mail address').fill('moved@example.com')
    },
    press: ({ page }) => button(page, 'Change the address'),
    done: ({ page }) => text(page, 'moved@example.com waits for its code'),
  },
  {
    name: 'code for a new address',
    call: 'POST /v1/auth/verify_email',
    isPublic: true,
    open: async ({ page }) => {
      await page.goto('/me/profile')
      await page.getByRole('textbox', { name: 'Code' }).fill(await codeFor('moved@example.com'))
    },
    press: ({ page }) => button(page, 'Confirm'),
    done: ({ page }) => text(page, 'The new address is yours.'),
  },
  {
    name: 'password',
    call: 'POST /v1/auth/change_password',
    open: async ({ page }) => {
      await page.goto('/me/password')
      await page.getByRole('textbox', { name: 'Current password' }).fill(password)
      await page.getByRole('textbox', { name: 'New password' }).fill('Another5Horse!')
    },
    press: ({ page }) => button(page, 'Change the password'),
    done: ({ page }) => text(page, 'Your password is changed'),
  },
]

export const stories: readonly Story[] = [...aboutMe, ...keys, ...applications, ...people, ...workspace, ...credentials]
