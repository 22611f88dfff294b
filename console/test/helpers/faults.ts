// The four ways in which a call can fail in the middle of a story, and what a person must then find.
import type { Page, Request, Route } from 'playwright-core'
import { expect } from 'vitest'
import { password } from './browser.ts'

/** `POST /v1/teams/` stands for every call of that method whose path begins so. */
export type CallPattern = `${string} /v1/${string}`

type Fault = { name: string; answer: (route: Route) => Promise<void>; told: string }

const refusal = (status: number, message: string, detail: string, metadata = {}, headers = {}) => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify({ success: false, message: null, error: { message, detail, metadata } }),
})

export const lost: Fault = { name: 'connection', answer: route => route.abort(), told: 'No connection' }
const limited: Fault = {
  name: 'limit',
  answer: route =>
    route.fulfill(refusal(429, 'Slow down', 'Over 5000 requests; wait and go on.', {}, { 'retry-after': '1' })),
  told: 'Slow down',
}
export const broken: Fault = {
  name: 'internal',
  answer: route => route.fulfill(refusal(500, 'Internal error', 'It broke; try again.', { requestId: 'req_test' })),
  told: 'req_test',
}
const refused: Fault = {
  name: 'refusal',
  answer: route => route.fulfill(refusal(401, 'Not accepted', 'Check it and try again.')),
  told: 'Not accepted',
}

/** Where no session is needed, none can end: the service refuses what was typed. */
export const faultsOutside: readonly Fault[] = [lost, refused, limited, broken]
export const faultsInside: readonly Fault[] = [lost, limited, broken]
/** For what acts at once: the message of the first failure is there before the others come. */
export const faultsAgain: readonly Fault[] = [limited, broken]

function isCall(request: Request, pattern: CallPattern): boolean {
  const [method, path = ''] = pattern.split(' ')
  return request.method() === method && new URL(request.url()).pathname.startsWith(path)
}

/** Everything that can be typed, ticked or chosen on the page, as it stands. */
export function inputsOf(page: Page): Promise<string[]> {
  return page
    .locator('input:not([type=hidden]), textarea')
    .evaluateAll(found =>
      (found as HTMLInputElement[]).map(({ type, checked, value }) =>
        /checkbox|radio/.test(type) ? String(checked) : value,
      ),
    )
}

export type Meeting = {
  page: Page
  call: CallPattern
  press: (options?: { timeout: number }) => Promise<void>
  /** What is looked at while the message stands there. */
  seen?: (name: string) => Promise<void>
}

/** Presses while calls of that kind fail, and is told what happened. */
export async function fail({ answer, told }: Fault, { page, call, press }: Meeting): Promise<void> {
  const handler = (route: Route, request: Request) => (isCall(request, call) ? answer(route) : route.fallback())
  await page.route('**/v1/**', handler)
  await press()
  await page.getByRole('alert').getByText(told).waitFor()
  await page.unroute('**/v1/**', handler)
}

/** Fails, and finds everything as it was. */
export async function meet(fault: Fault, meeting: Meeting): Promise<void> {
  const before = await inputsOf(meeting.page)
  await fail(fault, meeting)
  await meeting.seen?.(fault.name)
  expect(await inputsOf(meeting.page)).toEqual(before)
}

/** The session is gone for the service itself; the person logs in over the page and finds everything as it was. */
export async function meetEndOfSession({ page, press, seen }: Meeting): Promise<void> {
  const before = await inputsOf(page)
  await page.context().clearCookies()
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
  // What the page reads by itself may be refused first: then the dialog is there, and the button behind it.
  await press({ timeout: 10_000 }).catch(async error => {
    if (!(await dialog.isVisible())) throw error
  })
  await dialog.getByRole('textbox', { name: 'Password' }).fill(password)
  await seen?.('session')
  await dialog.getByRole('button', { name: 'Log in' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await inputsOf(page)).toEqual(before)
}
