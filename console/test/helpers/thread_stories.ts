// Where people write in threads, and what agents need for an answer.
import type { Locator, Page } from 'playwright-core'
import { button, type Story, text } from './story.ts'

/** The page has several forms. */
const saveOf = (page: Page, field: string): Locator =>
  button(page.locator('form').filter({ has: page.getByLabel(field) }), 'Save')

export const threadStories: readonly Story[] = [
  {
    name: 'new thread',
    call: 'POST /v1/threads',
    open: async ({ page, workspaceId }) => {
      await page.goto(`/w/${workspaceId}/threads/new`)
      await page.getByRole('textbox', { name: 'Message' }).fill('Where does it wait?')
    },
    press: ({ page }) => button(page, 'Start'),
    done: ({ page }) => page.getByRole('heading', { name: 'Where does it wait?' }),
  },
  {
    name: 'message in a thread',
    call: 'POST /v1/messages',
    open: async ({ page, workspaceId, made }) => {
      await page.goto(`/w/${workspaceId}/threads/${made.threadId}`)
      await page.getByRole('textbox', { name: 'Message' }).fill('Looking at it.')
    },
    press: ({ page }) => button(page, 'Send'),
    done: ({ page }) => page.getByRole('log', { name: 'Messages' }).getByText('Looking at it.'),
  },
  {
    name: 'agents of a workspace',
    call: 'PATCH /v1/workspaces/',
    open: async ({ page, workspaceId }) => {
      await page.goto(`/w/${workspaceId}/settings`)
      await page.getByLabel('Runs a day at most').fill('100')
    },
    press: ({ page }) => saveOf(page, 'Runs a day at most'),
    done: ({ page }) => text(page, 'The settings for agents are saved.'),
  },
  {
    name: 'meaning of memories',
    call: 'PATCH /v1/workspaces/',
    open: async ({ page, workspaceId }) => {
      await page.goto(`/w/${workspaceId}/settings`)
      await page.getByLabel('Nearness from which a memory is found').fill('0.5')
    },
    press: ({ page }) => saveOf(page, 'Nearness from which a memory is found'),
    done: ({ page }) => text(page, 'The settings for memories are saved.'),
  },
]
