// How much the first load weighs, how soon it can be used, and how the files are served.
import { expect, it } from 'vitest'
import { inBrowser, person, url, useBrowser, visitor } from './helpers/browser.ts'

const mostScript = 250 * 1000
const soonMs = 1000

inBrowser('the first load', () => {
  useBrowser()

  it('takes at most 250 kB of script, compressed, on the heaviest first page', async () => {
    const { page, context, workspaceId } = await person()
    await page.goto(`/w/${workspaceId}`)
    await page.getByRole('heading', { name: 'First steps' }).waitFor()
    await page.waitForLoadState('networkidle')
    const bytes = await page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .filter(({ name }) => name.endsWith('.js'))
        .reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).encodedBodySize, 0),
    )
    process.stdout.write(`first load: ${Math.round(bytes / 1000)} kB of script\n`)
    expect(bytes).toBeGreaterThan(50_000)
    expect(bytes).toBeLessThanOrEqual(mostScript)
    await context.close()
  })

  it('can be used within a second on loopback', async () => {
    const { page, context } = await visitor()
    const times: number[] = []
    // What else the machine does is no fault of the page: one round of ten must be quick.
    while (times.length < 10 && !times.some(time => time < soonMs)) {
      const started = performance.now()
      await page.goto('/login', { waitUntil: 'commit' })
      await page.getByRole('button', { name: 'Log in' }).waitFor()
      times.push(performance.now() - started)
    }
    process.stdout.write(`log-in page usable after ${times.map(Math.round).join(', ')} ms\n`)
    expect(Math.min(...times)).toBeLessThan(soonMs)
    await context.close()
  })

  it('is cached by name, guarded by a policy, and never stands in for the API', async () => {
    const page = await fetch(`${url}/login`, { headers: { accept: 'text/html' } })
    const policy = page.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(page.headers.get('cache-control')).toBe('no-cache')
    const script = /\/assets\/[\w.-]+\.js/.exec(await page.text())?.[0]
    const file = await fetch(url + script)
    expect(file.headers.get('cache-control')).toContain('immutable')
    for (const path of ['/v1/nothing', '/oauth/nothing', '/assets/nothing.js', '/mcp/nothing/there', '/dev/nothing']) {
      const answer = await fetch(url + path, { headers: { accept: 'text/html' } })
      expect([path, answer.headers.get('content-type')]).toEqual([path, 'application/json; charset=utf-8'])
    }
  })
})
