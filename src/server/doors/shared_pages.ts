// /p/{id}: where a published page is read by people; the same as `pages.public`, with words for a browser where it fails.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError, errors } from '../../contract/errors.ts'
import type { Stream } from '../../contract/operation.ts'
import { operations } from '../../operations.ts'
import type { enter } from '../request/entry.ts'
import { toApiError } from '../request/failures.ts'
import { ownWindow } from '../request/headers.ts'
import { performer } from '../request/perform.ts'
import type { Platform } from '../request/platform.ts'
import { sendStream } from '../request/streams.ts'
import { pageHeaders, pageHtml } from './pages.ts'

const id = 'pages.public'
const form = new RegExp((operations[id].path.properties.id as { pattern?: string }).pattern ?? '')

type Asked = FastifyRequest<{ Params: { id: string } }>

export function mountSharedPages(app: FastifyInstance, platform: Platform, entry: ReturnType<typeof enter>): void {
  const perform = performer(platform, id, operations[id])
  app.get('/p/:id', { config: { load: 'lasting' as const }, exposeHeadRoute: false }, async (request: Asked, reply) => {
    try {
      // Whoever follows a link from elsewhere is who they are here: nothing is changed by looking.
      const { caller } = await entry(request, reply)
      if (!form.test(request.params.id)) throw new ApiError('not_found', 'There is no such page.')
      const stream = (await perform(callOf(request, caller), { id: request.params.id })) as Stream
      reply.dress()
      const onFailure = (error: unknown) => request.log.error({ err: error, operation: id }, 'a page broke off')
      await sendStream(reply, stream, { isStillAllowed: async () => true, onFailure })
      return reply
    } catch (error) {
      const failure = toApiError(error)
      const { status } = errors[failure.kind]
      if (status >= 500) request.log.error({ err: failure.cause ?? failure, operation: id }, 'request failed')
      const [title, body] = wordsFor(status)
      return reply
        .code(status)
        .headers({ ...pageHeaders({}), ...ownWindow, 'cache-control': 'no-store', 'x-robots-tag': 'noindex' })
        .send(pageHtml({ title, body: `<div class="card"><h1>${title}</h1>${body}</div>` }))
    }
  })
}

function callOf(request: Asked, caller: Parameters<ReturnType<typeof performer>>[0]['caller']) {
  return {
    caller,
    access: null,
    // Files are no tools: no policy speaks of them.
    ruling: null,
    approval: { id: null, reason: null },
    origin: {
      requestId: request.id,
      // Not the address itself: its last part opens the page.
      path: '/p',
      address: request.ip,
      userAgent: request.headers['user-agent']?.slice(0, 512) ?? null,
      surface: 'rest' as const,
      ifMatch: null,
      ifNoneMatch: null,
      lastEventId: null,
      idempotencyKey: null,
    },
    log: request.log,
    signal: () => new AbortController().signal,
    relay: (): never => {
      throw new Error('a page calls no other operation')
    },
  }
}

function wordsFor(status: number): [title: string, body: string] {
  if (status === 410) {
    return ['This page is gone', '<p>It was revoked, or its time is over. Ask who shared it to publish it again.</p>']
  }
  if (status === 404) {
    const login = '<a href="/">log in</a>'
    return [
      'There is no such page here',
      `<p>If it is for members of a workspace, ${login} first and open the link again.</p>`,
    ]
  }
  if (status === 429) return ['Slow down', '<p>Too many requests came from here. Try again in a minute.</p>']
  return ['Something went wrong', '<p>Try again in a moment.</p>']
}
