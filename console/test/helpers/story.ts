// A story that can fail in the middle: how to open a form and fill it in, what to press, what then shows.
import type { Locator, Page } from 'playwright-core'
import type { Person } from './browser.ts'
import type { CallPattern } from './faults.ts'

export type Made = {
  keyId: string
  teamId: string
  otherTeamId: string
  clientId: string
  issueId: string
  threadId: string
  autofixId: string
  webhookId: string
  inboundId: string
  automationId: string
  cloudAccountId: string
  nodeId: string
  guest: string
}
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

export const text = (page: Page, words: string | RegExp) => page.getByText(words).first()
export const button = (within: Page | Locator, name: string) =>
  within.getByRole('button', { name, exact: true }).first()
export const again = ({ page }: Scene) => button(page, 'Try again')

export async function pick(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label, exact: true }).click()
  await page.getByRole('option', { name: option }).first().click()
}
