// How the console's files are served: cached, guarded, and never in the way of the API.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify from 'fastify'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readConfig } from '../src/server/config.ts'
import { mountConsole } from '../src/server/doors/console.ts'
import { handleFailures } from '../src/server/request/failures.ts'
import { memoryLimiter } from '../src/server/request/limits.ts'

const html = { accept: 'text/html' }

function built(): string {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-files-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), '<!doctype html><head></head><body>console</body>')
  writeFileSync(join(folder, 'assets/index-abc.js'), `start()${' '.repeat(2_000)}`)
  writeFileSync(join(folder, 'scheme.js'), 'light()')
  return folder
}

function serve(folder: string, env: Record<string, string> = {}) {
  const app = Fastify()
  handleFailures(app, readConfig(env).PUBLIC_URL)
  mountConsole(app, { config: readConfig(env), limiter: memoryLimiter() }, folder)
  onTestFinished(() => app.close())
  return (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers })
}

describe('the console’s files', () => {
  it('gives the index for the console’s own addresses, with a policy that lets nothing in', async () => {
    const get = serve(built())
    for (const path of ['/', '/login', '/w/ws_1/keys?page=2']) {
      const answer = await get(path, html)
      expect(answer.statusCode).toBe(200)
      expect(answer.body).toContain('console')
      expect(answer.headers['cache-control']).toBe('no-cache')
      expect(answer.headers['content-security-policy']).toContain("script-src 'self';")
      expect(answer.headers['content-security-policy']).toContain("frame-ancestors 'none'")
      expect(answer.headers['cross-origin-opener-policy']).toBe('same-origin')
    }
  })

  it('keeps hashed files for a year, compresses them and answers 304', async () => {
    const get = serve(built())
    const answer = await get('/assets/index-abc.js', { 'accept-encoding': 'gzip' })
    expect(answer.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'content-encoding': 'gzip',
      'cache-control': 'public, max-age=31536000, immutable',
    })
    const better = await get('/assets/index-abc.js', { 'accept-encoding': 'gzip, br' })
    expect(better.headers['content-encoding']).toBe('br')
    for (const refused of ['', 'br;q=0, gzip;q=0.0', 'zstd']) {
      const plain = await get('/assets/index-abc.js', { 'accept-encoding': refused })
      expect([plain.headers['content-encoding'], plain.body.trim()]).toEqual([undefined, 'start()'])
    }
    const again = await get('/assets/index-abc.js', { 'if-none-match': String(answer.headers.etag) })
    expect(again.statusCode).toBe(304)
    expect((await get('/scheme.js')).headers['cache-control']).toBe('no-cache')
  })

  it('never stands in for what belongs to the server', async () => {
    const get = serve(built())
    const paths = '/v1 /v1/x /mcp/x /oauth/x /docs/x /dev/x /healthz/x /.well-known/x /assets/x.js /x.js'.split(' ')
    for (const path of paths) expect([path, (await get(path, html)).statusCode]).toEqual([path, 404])
    expect((await get('/login', { accept: 'application/json' })).statusCode).toBe(404)
    expect((await get('/../package.json', html)).body).not.toContain('"atrium"')
  })

  it('tells the page what the instance is set to, escaped', async () => {
    const get = serve(built(), { SIGNUPS: 'invite' })
    expect((await get('/', html)).body).toContain('&quot;signups&quot;:&quot;invite&quot;')
  })

  it('lets in the bot check’s host only where it is configured', async () => {
    const env = { TURNSTILE_SITE_KEY: 'site', TURNSTILE_SECRET_KEY: 'secret' }
    const policy = (await serve(built(), env)('/', html)).headers['content-security-policy']
    expect(policy).toContain("script-src 'self' https://challenges.cloudflare.com;")
    expect((await serve(built())('/', html)).headers['content-security-policy']).not.toContain('https:')
  })

  it('says what to run where nothing is built', async () => {
    const get = serve(join(tmpdir(), 'atrium-no-such-folder'))
    const answer = await get('/', html)
    expect(answer.statusCode).toBe(503)
    expect(answer.body).toContain('npm run build:console')
    expect((await get('/v1/x')).statusCode).toBe(404)
  })
})
