// The reference page: every operation of the document, found by words, and nothing for axe to find in light and dark.
import { existsSync } from 'node:fs'
import { AxeBuilder } from '@axe-core/playwright'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Operation } from '../src/contract/operation.ts'
import { methodOf, pathOf } from '../src/contract/operation.ts'
import { operation as lookUp, operationIds } from '../src/operations.ts'
import { listeningPlatform } from './helpers/oauth.ts'
import type { TestPlatform } from './helpers/platform.ts'

let p: TestPlatform
let html: string

beforeAll(async () => {
  p = await listeningPlatform()
  html = (await p.request({ url: '/docs' })).text
})
afterAll(() => p.close())

/** What the page says of one operation. */
function partOf(id: string): string {
  const from = html.indexOf(`<details class="operation" id="${id}">`)
  return from < 0 ? '' : html.slice(from, html.indexOf('</details>', from))
}

describe('the reference page', () => {
  it.each(operationIds)('shows %s with its fields, scopes, answers and an example', id => {
    const operation = lookUp(id) as Operation
    const part = partOf(id)
    expect(part).toContain(`>${methodOf(operation)}</span> <code class="path">${pathOf(operation)}</code>`)
    const { access, path, query, body } = operation
    const named = (body as { title?: string } | undefined)?.title
    if (named) expect(part).toContain(`<a href="#schema-${named}">${named}</a>`)
    if (typeof access !== 'string') for (const scope of access) expect(part).toContain(`<code>${scope}</code>`)
    for (const schema of [path, query, ...(named ? [] : [body])]) {
      for (const name of Object.keys(schema?.properties ?? {})) expect(part).toContain(`<dt><code>${name}</code>`)
    }
    expect(part).toContain('<h4>Example</h4>\n<pre><code>curl ')
    expect(part).toContain(`<h4>Answer ${operation.status ?? 200}`)
    expect(part).toContain('#status-429')
  })

  it('leads back to the console, and only to places that are there', () => {
    expect(html).toContain('<a href="/">Back to the console</a>')
    const ids = new Set([...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id))
    const targets = [...html.matchAll(/href="#([^"]*)"/g)].map(([, id]) => id)
    expect(targets.filter(id => !ids.has(id))).toEqual([])
    expect([...html.matchAll(/ id="([^"]*)"/g)].length).toBe(ids.size)
  })

  it('is sent compressed, and small', async () => {
    const { headers, status } = await p.request({ url: '/docs', headers: { 'accept-encoding': 'br' } })
    expect([status, headers['content-encoding']]).toEqual([200, 'br'])
    expect(Number(headers['content-length'])).toBeLessThan(200_000)
  })

  it('gives an example that a shell takes as it stands', () => {
    const example = /<pre><code>(curl[^<]*)<\/code>/.exec(partOf('api_keys.post'))?.[1] ?? ''
    expect(example).toMatch(
      /^curl -X POST &#39;http:\/\/127\.0\.0\.1:\d+\/v1\/api_keys&#39; \\\n {2}-H &#39;x-api-key: atr_…&#39;/,
    )
    expect(example).toContain('&quot;workspaceId&quot;:&quot;ws_')
  })
})

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'

describe.skipIf(!existsSync(executablePath))('the reference page in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-background-networking'] })
  }, 60_000)
  afterAll(() => browser?.close())

  async function open(colorScheme: 'light' | 'dark', width: number): Promise<Page> {
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 } })
    const page = await context.newPage()
    page.setDefaultTimeout(30_000)
    await page.goto(`${p.config.PUBLIC_URL}/docs`)
    return page
  }

  it.each([
    ['light', 1200],
    ['dark', 1200],
    ['light', 360],
  ] as const)(
    'has nothing for axe to find, %s at %i',
    async (scheme, width) => {
      const page = await open(scheme, width)
      const faults: string[] = []
      page.on('console', message => void (message.type() === 'error' && faults.push(message.text())))
      // Open what a reader opens: one of each kind.
      await page.locator('[id="api_keys.post"] > summary').click()
      await page.locator('[id="schema-ApiKey"] > summary').click()
      const { violations } = await new AxeBuilder({ page }).analyze()
      expect(violations.map(({ id, nodes }) => `${id} ${nodes[0]?.html}`)).toEqual([])
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      expect(overflow).toBeLessThanOrEqual(0)
      expect(faults).toEqual([])
      await page.context().close()
    },
    120_000,
  )

  it('finds operations by words, and opens the one that an address names', async () => {
    const page = await open('light', 1200)
    await page.getByLabel('Search operations').fill('transfer key')
    await expect.poll(() => page.locator('details.operation:visible').count()).toBe(1)
    expect(await page.locator('details.operation:visible').getAttribute('id')).toBe('api_keys.transfer')
    expect(await page.getByRole('status').textContent()).toBe('1 operation')
    await page.goto(`${p.config.PUBLIC_URL}/docs#teams.post`)
    await expect.poll(() => page.locator('[id="teams.post"]').getAttribute('open')).toBe('')
    await page.context().close()
  }, 120_000)
})
