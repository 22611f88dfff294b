// The OpenAPI document and the reference page that draws it; everything is served from here, nothing from elsewhere.
import { hash } from 'node:crypto'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { openapi } from '../contract/openapi.ts'
import { once } from '../kit/once.ts'
import { operations } from '../operations.ts'
import { ownWindow } from './headers.ts'
import type { Platform } from './platform.ts'

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Atrium API reference</title>
  </head>
  <body>
    <script id="api-reference" data-url="/v1/openapi.json" data-configuration='CONFIGURATION'></script>
    <script src="/docs/assets/js/scalar.js"></script>
  </body>
</html>
`

/** Nothing that would call another host: no proxy, no fonts, no telemetry, no hosted assistant. */
const scalar = {
  withDefaultFonts: false,
  proxyUrl: '',
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
}

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export function mountDocument(app: FastifyInstance, { config }: Platform): void {
  const printed = once(() => {
    // As bytes: encoding half a megabyte of text again for each answer would cost more than all the rest.
    const bytes = Buffer.from(JSON.stringify(openapi(operations, config.PUBLIC_URL)))
    return { bytes, etag: `"${hash('sha256', bytes, 'base64url').slice(0, 27)}"` }
  })
  const send = (request: FastifyRequest, reply: FastifyReply) => {
    const { bytes, etag } = printed()
    reply.header('etag', etag).header('cache-control', 'public, max-age=60')
    if (request.headers['if-none-match'] === etag) return reply.code(304).send()
    return reply.type('application/json; charset=utf-8').send(bytes)
  }
  app.get('/v1/openapi.json', send)
  app.get('/openapi.json', send)
  app.get('/docs', (_, reply) =>
    reply
      .headers({ ...ownWindow, 'content-security-policy': policy })
      .type('text/html; charset=utf-8')
      .send(page.replace('CONFIGURATION', JSON.stringify(scalar))),
  )
  const script = once(referenceScript)
  app.get('/docs/assets/js/scalar.js', async (_, reply) =>
    reply
      .header('cache-control', 'public, max-age=3600')
      .type('application/javascript; charset=utf-8')
      .send(await script()),
  )
}

/** The library gives its script, four megabytes of it, through a server only; one is asked inside. */
async function referenceScript(): Promise<string> {
  const { default: reference } = await import('@scalar/fastify-api-reference')
  const inside = Fastify()
  await inside.register(reference, { routePrefix: '/docs', configuration: { url: '/v1/openapi.json' } })
  const { statusCode, payload } = await inside.inject('/docs/js/scalar.js')
  await inside.close()
  if (statusCode !== 200) throw new Error('the reference page has no script')
  return payload
}
