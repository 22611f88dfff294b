// Forms of cloud accounts and of the infrastructure: added, changed, read anew, given to somebody, connected by hand.
import { again, button, pick, type Story, text } from './story.ts'

const accounts: readonly Story[] = [
  {
    name: 'new cloud account',
    call: 'POST /v1/cloud_accounts',
    open: async ({ page, workspaceId }) => {
      await page.goto(`/w/${workspaceId}/cloud_accounts/new?provider=aws`)
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Production')
      await page.getByRole('textbox', { name: 'ARN of the role' }).fill('arn:aws:iam::123456789012:role/atrium')
    },
    press: ({ page }) => button(page, 'Create'),
    done: ({ page }) => page.getByRole('heading', { name: 'trust-policy.json' }),
  },
  {
    name: 'cloud account',
    call: 'PATCH /v1/cloud_accounts/',
    open: async ({ page, workspaceId, made }) => {
      await page.goto(`/w/${workspaceId}/cloud_accounts/${made.cloudAccountId}`)
      await button(page, 'Edit').click()
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Staging')
    },
    press: ({ page }) => button(page, 'Save'),
    done: ({ page }) => text(page, /^Saved\.$/),
  },
  {
    name: 'credentials of a cloud account',
    call: 'PATCH /v1/cloud_accounts/',
    open: async ({ page, workspaceId, made }) => {
      await page.goto(`/w/${workspaceId}/cloud_accounts/${made.cloudAccountId}`)
      await button(page, 'Add').click()
      await page.getByRole('textbox', { name: 'Token' }).fill('eyJhbGciOiJSUzI1NiJ9.c2lnbmF0dXJl')
    },
    press: ({ page }) => button(page, 'Save the credentials'),
    done: ({ page }) => text(page, 'The credentials are saved.'),
  },
]

const infrastructure: readonly Story[] = [
  {
    name: 'new node',
    call: 'POST /v1/cloud_infra/nodes',
    open: async ({ page, workspaceId }) => {
      await page.goto(`/w/${workspaceId}/infrastructure/new`)
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('mailer')
      await page.getByRole('textbox', { name: 'Type', exact: true }).fill('service')
    },
    press: ({ page }) => button(page, 'Create'),
    done: ({ page }) => page.getByRole('heading', { name: 'mailer' }),
  },
  {
    name: 'node',
    call: 'PATCH /v1/cloud_infra/',
    open: async ({ page, workspaceId, made }) => {
      await page.goto(`/w/${workspaceId}/infrastructure/${made.nodeId}`)
      await button(page, 'Edit').click()
      await button(page, 'Add a tag').click()
      await page.getByLabel('Name').last().fill('env')
      await page.getByLabel('Value').fill('production')
    },
    press: ({ page }) => button(page, 'Save'),
    done: ({ page }) => text(page, /^Saved\.$/),
  },
  {
    name: 'tier of a node',
    call: 'PATCH /v1/cloud_infra/',
    open: async ({ page, workspaceId, made }) => {
      await page.goto(`/w/${workspaceId}/infrastructure/${made.nodeId}`)
      await page.getByRole('button', { name: /^Tier/ }).click()
    },
    press: ({ page }) => page.getByRole('option', { name: 'High' }),
    again,
    done: ({ page }) => page.getByRole('button', { name: /^Tier High By hand/ }),
  },
  {
    name: 'edge of a node',
    call: 'POST /v1/cloud_infra/edges',
    open: async ({ page, workspaceId, made, dialog }) => {
      await page.goto(`/w/${workspaceId}/infrastructure/${made.nodeId}?tab=neighbours`)
      await button(page, 'Add an edge').click()
      await pick(page, 'What it has to do with it', 'checkout writes')
      await dialog.getByRole('combobox', { name: 'The other node' }).fill('order')
      await page.getByRole('option', { name: 'orders' }).click()
    },
    press: ({ dialog }) => button(dialog, 'Add'),
    done: ({ page }) => text(page, 'The edge is added.'),
  },
  {
    name: 'tier rules',
    call: 'PUT /v1/cloud_infra/',
    open: async ({ page, workspaceId }) => {
      await page.goto(`/w/${workspaceId}/infrastructure/tiers`)
      await button(page, 'Add a rule').click()
      await page.getByRole('textbox', { name: '1. When' }).fill('node.category == "database"')
    },
    press: ({ page }) => button(page, 'Save'),
    done: ({ page }) => text(page, 'The rules hold now.'),
  },
]

export const cloudStories: readonly Story[] = [...accounts, ...infrastructure]
