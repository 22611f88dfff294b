// Every form and dialog after log-in that takes input; those of the workspace's own things stand beside it.
import { codeFor, password } from './browser.ts'
import { again, button, pick, type Story, text } from './story.ts'
import { workspaceStories } from './workspace_stories.ts'

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
      await dialog.getByLabel('Expires after (days)').fill('3')
    },
    press: ({ dialog }) => button(dialog, 'Send the invite'),
    done: ({ dialog }) => dialog.getByText('The invite is sent'),
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
    open: async ({ page, workspaceId }) => {
      await page.goto(`/w/${workspaceId}/teams/new`)
      await page.getByLabel('Name').fill('Analytical Engine')
      await page.getByLabel('Description').fill('Weaves algebra')
      await page.getByLabel('Colour').fill('#3366cc')
    },
    press: ({ page }) => button(page, 'Create'),
    done: ({ page }) => page.getByRole('heading', { name: 'Analytical Engine' }),
  },
  {
    name: 'team',
    call: 'PATCH /v1/teams/',
    open: async ({ page, workspaceId, made }) => {
      await page.goto(`/w/${workspaceId}/teams/${made.teamId}`)
      await button(page, 'Edit').click()
      await page.getByLabel('Description').fill('Builds it')
    },
    press: ({ page }) => button(page, 'Save'),
    done: ({ page }) => text(page, /^Saved\.$/),
  },
  {
    name: 'member of a team',
    call: 'POST /v1/teams/',
    open: async ({ page, workspaceId, made }) => {
      await page.goto(`/w/${workspaceId}/teams/${made.teamId}?tab=members`)
      await button(page, 'Add member').click()
      await pick(page, 'User', made.guest)
    },
    press: ({ dialog }) => button(dialog, 'Add'),
    done: ({ page }) => text(page, 'The member is added.'),
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
    press: ({ dialog }) => button(dialog, 'Delete'),
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

export const stories: readonly Story[] = [...aboutMe, ...people, ...workspaceStories, ...credentials]
