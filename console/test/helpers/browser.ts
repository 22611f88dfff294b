// People at browsers: each has a context of its own, an account where one is wanted, and eyes that see no errors.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import axe from 'axe-core'
import { type Browser, type BrowserContext, chromium, type Page, type Request } from 'playwright-core'
import { afterAll, beforeAll, describe, inject } from 'vitest'
import { createClient } from '../../../src/client/client.ts'
import { chromiumPath } from './chromium.ts'

export const url = inject('url')
export const password = 'Correct4Horse!'

/** Skipped, and said so, where there is no Chromium. */
export const inBrowser = describe.skipIf(url === '')

const pictures = join(import.meta.dirname, '../../dist-pictures')
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

let count = 0

export type Person = {
  page: Page
  context: BrowserContext
  email: string
  token: string
  workspaceId: string
  client: ReturnType<typeof createClient>
}

let browser: Browser

/** One browser per file. */
export function useBrowser(): void {
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: chromiumPath() ?? '',
      args: ['--no-sandbox', '--disable-dev-shm-usage'],
    })
  })
  afterAll(() => browser?.close())
}

type VisitOptions = { width?: number }

/** Somebody who is not logged in. A request to another host, or a script the policy stops, fails the test. */
export async function visitor({ width = 1280 }: VisitOptions = {}) {
  const context = await browser.newContext({
    baseURL: url,
    colorScheme: 'light',
    viewport: { width, height: 900 },
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const page = await context.newPage()
  watchRequests(page)
  const faults: string[] = []
  page.on('request', request => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(url)) faults.push(`asked ${request.url()}`)
  })
  page.on('pageerror', error => faults.push(`threw ${error.message}`))
  page.on('console', message => {
    if (/Content Security Policy|Warning:/.test(message.text())) faults.push(message.text())
  })
  return { context, page, faults }
}

/** A verified account, made by the API, logged in by its cookie. */
export async function person(options: VisitOptions = {}): Promise<Person & { faults: string[] }> {
  const email = `person${process.pid.toString(36)}${Date.now().toString(36)}${count++}@example.com`
  const token = await signUp(email)
  const seen = await visitor(options)
  await enter(seen.context, token)
  const client = createClient({ baseUrl: url, token })
  const { items } = await client.call('workspaces.list', {})
  return { ...seen, email, token, workspaceId: items[0]?.id ?? '', client }
}

export function enter(context: BrowserContext, token: string): Promise<void> {
  return context.addCookies([{ name: 'session', value: token, url, httpOnly: true, sameSite: 'Lax' }])
}

/** From another address than the browser's, whose first mail within the minute shall be its own. */
const elsewhere: typeof fetch = (address, init) =>
  fetch(address, { ...init, headers: { ...init?.headers, 'x-forwarded-for': '192.0.2.7' } })

export async function signUp(email: string): Promise<string> {
  const anyone = createClient({ baseUrl: url, send: elsewhere })
  const { token = '' } = await anyone.call('auth.signup', { email, password })
  const code = await codeFor(email)
  const verified = await createClient({ baseUrl: url, token }).call('auth.verifyEmail', { email, code })
  return verified.token
}

/** The newest code that was mailed to an address. */
export async function codeFor(email: string, subject = ''): Promise<string> {
  const text = await mailTo(email, found => /\b[0-9A-Z]{4}-[0-9A-Z]{4}\b/.test(found) && found.includes(subject))
  return /\b[0-9A-Z]{4}-[0-9A-Z]{4}\b/.exec(text)?.[0] ?? ''
}

/** The newest mail to an address that fits, once it is there. */
export async function mailTo(email: string, fits: (text: string) => boolean = () => true): Promise<string> {
  for (let tries = 0; tries < 200; tries++) {
    const page = await (await fetch(`${url}/dev/mailbox`)).text()
    const mails = page.split('<article').filter(text => text.includes(`to ${email} `))
    const found = mails.find(fits)
    if (found) return found.replaceAll('&#39;', "'").replaceAll('&amp;', '&')
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  throw new Error(`No such mail to ${email}.`)
}

/** What axe finds wrong with the page as it stands: by all rules, or by those named. */
export async function faultsOf(page: Page, named?: string[]): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  const wanted = named ? { type: 'rule', values: named } : { type: 'tag', values: tags }
  const found = await page.evaluate(async runOnly => {
    const { axe } = window as unknown as { axe: { run(place: Document, options: object): Promise<AxeResult> } }
    // The header of a dialog is taken for a second banner of the page; it is none.
    const rules = { 'landmark-no-duplicate-banner': { enabled: false }, 'landmark-unique': { enabled: false } }
    const options = { runOnly, rules, resultTypes: ['violations'] }
    const { violations } = await axe.run(document, options)
    return violations
  }, wanted)
  return found.flatMap(({ id, nodes }) =>
    nodes.map(node => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ''}`),
  )
}

type AxeResult = { violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }

/** Kept as build output, to be looked at. */
export async function picture(page: Page, name: string): Promise<void> {
  mkdirSync(pictures, { recursive: true })
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true })
}

const underWay = new WeakMap<Page, Set<Request>>()
const quietMs = 250

/** The stream of live updates never ends; everything else does. */
function watchRequests(page: Page): void {
  const open = new Set<Request>()
  underWay.set(page, open)
  page.on('request', request => {
    if (!request.url().includes('/v1/events/')) open.add(request)
  })
  page.on('requestfinished', request => open.delete(request))
  page.on('requestfailed', request => open.delete(request))
}

/** Until nothing loads any more: no call is under way, and no skeleton stands in for what is to come. */
export async function settled(page: Page): Promise<void> {
  await page.waitForLoadState('load')
  for (let quiet = 0; quiet < quietMs; quiet += 50) {
    await new Promise(resolve => setTimeout(resolve, 50))
    if ((underWay.get(page)?.size ?? 0) > 0) quiet = 0
  }
  await page.locator('[aria-label="Loading"]').first().waitFor({ state: 'detached' })
}
