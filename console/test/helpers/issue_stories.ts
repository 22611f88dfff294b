// Forms and dialogs about issues and labels.
import { button, pick, type Story, text } from './story.ts'

export const issueStories: readonly Story[] = [
  {
    name: 'new issue',
    call: 'POST /v1/issues',
    open: async ({ page, workspaceId }) => {
      await page.goto(`/w/${workspaceId}/issues/new`)
      await page.getByLabel('Title').fill('Pool is exhausted')
      await page.getByLabel('Description').fill('Since **noon**.')
      await pick(page, 'Labels', 'Database')
      await page.keyboard.press('Escape')
    },
    press: ({ page }) => button(page, 'Create'),
    done: ({ page }) => page.getByRole('heading', { name: 'Pool is exhausted' }),
  },
  {
    name: 'note on an issue',
    call: 'POST /v1/issues/',
    open: async ({ page, workspaceId, made }) => {
      await page.goto(`/w/${workspaceId}/issues/${made.issueId}`)
      await page.getByRole('textbox', { name: 'Note' }).fill('Looking at it.')
    },
    press: ({ page }) => button(page, 'Add note'),
    done: ({ page }) => page.getByRole('log', { name: 'Timeline' }).getByText('Looking at it.'),
  },
  {
    name: 'new rule over alerts',
    call: 'POST /v1/issues/',
    open: async ({ page, workspaceId, dialog }) => {
      await page.goto(`/w/${workspaceId}/issues/rules`)
      await button(page, 'New rule').click()
      await dialog.getByLabel('Name').fill('Low is noise')
      await dialog.getByLabel('When').fill('alert.severity == "low"')
      await dialog.getByRole('switch', { name: 'Suppress: such alerts do nothing' }).click()
    },
    press: ({ dialog }) => button(dialog, 'Save'),
    done: ({ page }) => text(page, 'The rule is saved.'),
  },
  {
    name: 'labels of many records',
    call: 'POST /v1/labels/',
    open: async ({ page, workspaceId, dialog }) => {
      await page.goto(`/w/${workspaceId}/issues`)
      await page.getByLabel('Choose all on this page').check()
      await button(page, 'Label').click()
      await dialog.getByText('Put on').waitFor()
      await pick(page, 'Put on', 'Database')
      await page.keyboard.press('Tab')
    },
    press: ({ dialog }) => button(dialog, 'Apply'),
    done: ({ page }) => text(page, 'labels changed.'),
  },
]
