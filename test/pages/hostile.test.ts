// A page made of Markdown that wants to do something: in a browser nothing happens, and axe finds nothing.
import { existsSync } from 'node:fs'
import { AxeBuilder } from '@axe-core/playwright'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listeningPlatform } from '../helpers/oauth.ts'
import type { TestCaller, TestPlatform } from '../helpers/platform.ts'

const mark = 'window.__ran=(window.__ran||0)+1'

const hostile = `
# A heading ##### of level one
###### and one of level six
#

<script>${mark}</script>
<img src=x onerror="${mark}">
<svg onload="${mark}"><animate onbegin="${mark}" attributeName=x dur=1s></svg>
<svg><script>${mark}</script></svg>
<iframe src="javascript:${mark}"></iframe>
<style>body { display: none } @import "https://evil.example/x.css"</style>
<link rel=stylesheet href="https://evil.example/x.css"><base href="https://evil.example/">
<form action="https://evil.example"><input autofocus onfocus="${mark}"></form>
<details open ontoggle="${mark}">x</details>
<meta http-equiv="refresh" content="0;url=https://evil.example">

[one](javascript:${mark}) [two](JaVaScRiPt:${mark}) [three](data:text/html,<script>${mark}</script>)
[four](&#106;avascript:${mark}) [five](vbscript:x) <javascript:${mark}> [](https://empty.example)
[six]( javascript:${mark} ) [seven](java
script:${mark})
![a picture](https://evil.example/pixel.png) ![](https://evil.example/other.png) [![x](https://evil.example/p.png)](https://ok.example)
![x](x" onerror="${mark}) [y](https://ok.example "\\" onmouseover=\\"${mark}")

- [ ] to do
- [x] done

| | a |
|---|:-:|
| <script>${mark}</script> | \`<b>\` |

One[^1] and two[^x].

[^1]: A note with <script>${mark}</script>
[^x]: [back](javascript:${mark})

\`\`\`html" onclick="${mark}
<script>${mark}</script>
\`\`\`

${`| ${'c | '.repeat(60)}\n|${'---|'.repeat(60)}\n${`| ${'some words | '.repeat(60)}\n`.repeat(40)}`}

${'> '.repeat(60)}deep

${'- '.repeat(40)}deep too

${'x'.repeat(2_000)}
`

let p: TestPlatform
let owner: TestCaller
let html: string
let url: string
beforeAll(async () => {
  p = await listeningPlatform()
  owner = await p.user()
  const { workspaceId } = owner
  const title = `<script>${mark}</script> "><img src=x onerror=${mark}>`
  const issue = await p.call('issues.post', { workspaceId, title, body: hostile }, owner)
  const { id } = issue.result
  for (let count = 0; count < 2; count++) {
    await p.call('issues.notes.post', { workspaceId, id, text: hostile.slice(0, 3_000) }, owner)
  }
  const { result } = await p.call('issues.publish', { workspaceId, id, visibility: 'link' }, owner)
  html = (await p.request({ url: `/p/${result.id}` })).text
  url = `${p.config.PUBLIC_URL}/p/${result.id}`
})
afterAll(() => p.close())

describe('hostile Markdown', () => {
  it('becomes no tag, no attribute and no address of its own', () => {
    const tags = [...html.matchAll(/<([a-z][a-z0-9]*)([^>]*)>/gi)].map(([, name = '', rest = '']) => ({ name, rest }))
    const names = new Set(tags.map(({ name }) => name.toLowerCase()))
    for (const name of ['script', 'img', 'svg', 'iframe', 'form', 'input', 'link', 'base', 'details', 'object']) {
      expect(names.has(name), name).toBe(false)
    }
    expect(tags.filter(({ name }) => name === 'style')).toHaveLength(1)
    expect(tags.filter(({ rest }) => /\son\w+\s*=|\sstyle\s*=|javascript:|vbscript:|data:/i.test(rest))).toEqual([])
  })
})

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'

describe.skipIf(!existsSync(executablePath))('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-background-networking'] })
  }, 60_000)
  afterAll(() => browser?.close())

  it.each([
    ['light', 1200],
    ['dark', 1200],
    ['light', 360],
  ] as const)(
    'runs nothing, asks nobody, and has nothing for axe to find, %s at %i',
    async (colorScheme, width) => {
      // axe itself is a script: the policy of the page, which lets none in, is set aside for it afterwards.
      const strict = await browser.newContext({ colorScheme, viewport: { width, height: 800 } })
      const page = await strict.newPage()
      const asked: string[] = []
      page.on('request', request => asked.push(request.url()))
      await page.goto(url)
      for (const link of await page.locator('a').all())
        await link.hover({ force: true, timeout: 2_000 }).catch(() => {})
      expect(await page.evaluate('window.__ran')).toBeUndefined()
      expect(asked.filter(one => one !== url && !one.endsWith('/favicon.ico'))).toEqual([])
      expect(await page.evaluate('getComputedStyle(document.body).display')).toBe('block')
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      expect(overflow).toBeLessThanOrEqual(0)
      await strict.close()
      const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 }, bypassCSP: true })
      const open = await context.newPage()
      await open.goto(url)
      expect(await open.evaluate('window.__ran')).toBeUndefined()
      const { violations } = await new AxeBuilder({ page: open }).analyze()
      expect(violations.map(({ id, nodes }) => `${id} ${nodes[0]?.html.slice(0, 200)}`)).toEqual([])
      await context.close()
    },
    120_000,
  )

  it('says in words that a page is gone', async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    const answer = await page.goto(url.replace(/.$/, last => (last === '0' ? '1' : '0')))
    expect(answer?.status()).toBe(404)
    expect(await page.locator('h1').textContent()).toBe('There is no such page here')
    await context.close()
  })
})
