// What is said and decided about a change of code, and who must decide.
import type { Locator } from 'playwright-core'
import { button, pick, type Scene, type Story, text } from './story.ts'

const lines = ({ page }: Scene): Locator => page.getByRole('table', { name: 'Changes of README.md' })

/** With its lines, so that all inputs of the page are there. */
async function open(scene: Scene): Promise<void> {
  await scene.page.goto(`/w/${scene.workspaceId}/autofixes/${scene.made.autofixId}`)
  await lines(scene).waitFor()
}

export const autofixStories: readonly Story[] = [
  {
    name: 'autofixes of a workspace',
    call: 'PATCH /v1/workspaces/',
    open: async ({ page, workspaceId }) => {
      await page.goto(`/w/${workspaceId}/settings`)
      await page.getByLabel('People who must approve an autofix').fill('2')
    },
    // The page has several forms.
    press: ({ page }) =>
      button(page.locator('form').filter({ has: page.getByLabel('People who must approve an autofix') }), 'Save'),
    done: ({ page }) => text(page, 'The settings for autofixes are saved.'),
  },
  {
    name: 'comment on a line',
    call: 'POST /v1/messages',
    open: async scene => {
      await open(scene)
      await lines(scene).getByRole('button', { name: 'Comment on line 1', exact: true }).click()
      await lines(scene).getByRole('textbox', { name: 'Comment' }).fill('Large enough?')
    },
    press: scene => button(lines(scene), 'Comment'),
    done: scene => lines(scene).getByRole('article', { name: 'Comment' }),
  },
  {
    name: 'approval of an autofix',
    call: 'POST /v1/autofixes/',
    open: async scene => {
      await open(scene)
      await button(scene.page, 'Approve').click()
    },
    press: ({ dialog }) => button(dialog, 'Approve'),
    done: ({ page }) => text(page, 'You have approved it.'),
  },
  {
    name: 'rejection of an autofix',
    call: 'POST /v1/autofixes/',
    open: async scene => {
      await open(scene)
      await button(scene.page, 'Reject').click()
      await pick(scene.page, 'Why', 'It is not safe')
      await scene.dialog.getByLabel('Note').fill('It overflows.')
    },
    press: ({ dialog }) => button(dialog, 'Reject'),
    done: ({ page }) => text(page, 'It is rejected.'),
  },
]
