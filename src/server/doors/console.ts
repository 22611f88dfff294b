// The console's built files at `/`: hashed assets for a year, the index for the console's own addresses.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { escapeHtml } from '../../kit/html.ts'
import { ownWindow } from '../request/headers.ts'
import { countSource } from '../request/limits.ts'
import type { Platform } from '../request/platform.ts'
import { type SharedFile, sendFile, sharedFile } from './files.ts'

const built = fileURLToPath(new URL('../../../console/dist', import.meta.url))
const turnstile = 'https://challenges.cloudflare.com'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json; charset=utf-8',
  '.woff2': 'font/woff2',
}

/** Addresses that belong to the server itself: what is unknown below them is not found, never a page. */
const ours = /^\/(v1|mcp|oauth|docs|dev|healthz|readyz|metrics|openapi\.json|\.well-known|assets)(\/|$)/

/** A page is made of some dozens of files, and many people may sit behind one address. */
const filesPerRequest = 10

/** `folder` is where the build lies; tests give another. */
export function mountConsole(
  app: FastifyInstance,
  platform: Pick<Platform, 'config' | 'limiter'>,
  folder = built,
): void {
  const { config } = platform
  const files = readFiles(folder)
  const index = files.get('/index.html')
  if (index) files.set('/index.html', withSettings(index, config))
  const policy = policyOf(config.TURNSTILE_SITE_KEY !== undefined)

  const countFile = countSource(platform, 'files', filesPerRequest)
  app.route({
    method: ['GET', 'HEAD'],
    url: '/*',
    onRequest: async (request, reply) => {
      // What is asked of the API is counted there, also where it is nothing.
      if (!request.url.startsWith('/v1')) await countFile(request, reply)
    },
    handler: (request, reply) => {
      const path = request.url.split('?', 1)[0] ?? '/'
      if (ours.test(path) && !files.has(path)) return reply.callNotFound()
      protect(reply, policy)
      const file = files.get(path)
      if (file && path !== '/index.html') return sendFile(request, reply, file)
      if (!isPage(request, path)) return reply.callNotFound()
      const page = files.get('/index.html')
      return page
        ? sendFile(request, reply, page)
        : reply
            .code(503)
            .type(types['.html'] ?? '')
            .send(unbuilt)
    },
  })
}

function isPage(request: FastifyRequest, path: string): boolean {
  return path === '/' || ((request.headers.accept ?? '').includes('text/html') && extname(path) === '')
}

/** Everything is read once: a build is a few megabytes, and no path from outside ever reaches the disk. */
function readFiles(folder: string): Map<string, SharedFile> {
  const files = new Map<string, SharedFile>()
  if (!existsSync(join(folder, 'index.html'))) return files
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const place = join(entry.parentPath, entry.name)
    const path = `/${relative(folder, place).split(sep).join('/')}`
    files.set(path, fileOf(readFileSync(place), extname(entry.name), path.startsWith('/assets/')))
  }
  return files
}

function fileOf(bytes: Buffer, extension: string, isHashed: boolean): SharedFile {
  const caching = isHashed ? 'public, max-age=31536000, immutable' : 'no-cache'
  return sharedFile(bytes, types[extension] ?? 'application/octet-stream', caching)
}

/** What the console must know before its first request travels in the page itself. */
function withSettings(index: SharedFile, config: Platform['config']): SharedFile {
  const settings = {
    signups: config.SIGNUPS,
    turnstileSiteKey: config.TURNSTILE_SITE_KEY ?? null,
    hasMailbox: config.isLoopback && !config.SMTP_URL,
    publicUrl: config.PUBLIC_URL,
  }
  const tag = `<meta name="atrium-settings" content="${escapeHtml(JSON.stringify(settings))}">`
  return fileOf(Buffer.from(index.bytes.toString('utf8').replace('</head>', () => `${tag}</head>`)), '.html', false)
}

/** Mantine sets style attributes and one style element, hence the one exception for styles. */
function policyOf(hasBotCheck: boolean): string {
  const botCheck = hasBotCheck ? ` ${turnstile}` : ''
  return [
    "default-src 'none'",
    `script-src 'self'${botCheck}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    hasBotCheck ? `frame-src ${turnstile}` : "frame-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

function protect(reply: FastifyReply, policy: string): void {
  reply.headers({ ...ownWindow, 'content-security-policy': policy })
}

const unbuilt = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Atrium</title><style>
  body { font: 16px/1.6 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1rem; color: #1c2024; background: #fcfcfd }
  code { background: #0001; padding: .1em .35em; border-radius: 4px }
  @media (prefers-color-scheme: dark) { body { color: #edeef0; background: #111113 } a { color: #8cb4ff } code { background: #fff2 } }
</style></head><body><main><h1>Atrium is running</h1>
<p>The API works; the console has not been built. Run <code>npm run build:console</code> and start again.</p>
<p><a href="/docs">API reference</a></p></main></body></html>
`
