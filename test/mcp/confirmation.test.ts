// Calls that delete: a person confirms them where the client can ask, whichever revision it speaks.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { beside } from '../helpers/beside.ts'
import { isPostgres } from '../helpers/engines.ts'
import { addressOf, connect, eras, type PersonAnswer, textOf } from '../helpers/mcp.ts'
import { platform, platformForTest, type TestCaller, type TestPlatform } from '../helpers/platform.ts'

let p: TestPlatform
let owner: TestCaller
beforeAll(async () => {
  p = await platform()
  owner = await p.user()
})
afterAll(() => p.close())

const yes: PersonAnswer = { action: 'accept', content: { confirm: true } }

async function isGone({ id }: TestCaller): Promise<boolean> {
  return (await p.call('api_keys.get', { workspaceId: owner.workspaceId, id }, owner)).status === 404
}

describe.each(eras)('a call that deletes, by a client of %s,', era => {
  const attempt = async (answer?: PersonAnswer) => {
    const victim = await p.key(owner, { scopes: [] })
    const client = await connect(p, await p.key(owner), { path: '/mcp/x/api_keys', era, answer })
    const questions: string[] = []
    if (answer) {
      client.setRequestHandler('elicitation/create', ({ params }) => {
        questions.push(params.message)
        return answer
      })
    }
    const result = await client.callTool({ name: 'api_keys_del', arguments: { id: victim.id } })
    await client.close()
    return { text: textOf(result), questions, isGone: await isGone(victim), victim }
  }

  it('is carried out once the person has said yes', async () => {
    const { questions, isGone, victim } = await attempt(yes)
    expect(isGone).toBe(true)
    expect(questions).toEqual([expect.stringContaining(victim.id)])
  })

  it.each<[string, PersonAnswer]>([
    ['said no', { action: 'decline' }],
    ['closed the question', { action: 'cancel' }],
    ['sent the form without a yes', { action: 'accept', content: { confirm: false } }],
  ])('is not carried out where the person has %s', async (_, answer) => {
    const { text, isGone } = await attempt(answer)
    expect(isGone).toBe(false)
    expect(text).toContain('was not called: the person said no')
  })

  it('goes through where the client cannot ask: its host does', async () => {
    expect(await attempt()).toMatchObject({ isGone: true, questions: [] })
  })

  it('is not asked about where it would be refused anyway', async () => {
    const reader = await p.key(owner, { scopes: ['api_keys:read'] })
    const client = await connect(p, reader, { path: '/mcp/all', era, answer: yes })
    client.setRequestHandler('elicitation/create', () => {
      throw new Error('nobody should be asked')
    })
    const result = await client.callTool({ name: 'api_keys_del', arguments: { id: reader.id } })
    expect(textOf(result)).toContain('lacks the scope api_keys:delete')
    await client.close()
  })
})

type Message = { id?: string | number; method?: string; result?: { content: unknown } }

/** A client of 2025-11-25 by hand, to stop where a real one goes on. */
async function opened(q: TestPlatform, caller: TestCaller) {
  const url = new URL('/mcp/x/api_keys', await addressOf(q))
  const post = (message: object, headers: Record<string, string> = {}) =>
    fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...caller.headers,
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    })
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: { elicitation: {} },
    clientInfo: { name: 'test', version: '1' },
  }
  const begun = await post({ id: 1, method: 'initialize', params })
  await begun.text()
  const headers = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': '2025-11-25' }
  const del = async (id: string, callId = 2) => {
    const call = { id: callId, method: 'tools/call', params: { name: 'api_keys_del', arguments: { id } } }
    return messagesOf(await post(call, headers))
  }
  return { post, headers, del }
}

async function* messagesOf(answer: Response): AsyncGenerator<Message> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of answer.body as ReadableStream<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true })
    const events = text.split('\n\n')
    text = events.pop() ?? ''
    for (const event of events) {
      const line = event.split('\n').find(part => part.startsWith('data: '))
      if (line) yield JSON.parse(line.slice(6))
    }
  }
}

async function next(messages: AsyncGenerator<Message>): Promise<Message> {
  return (await messages.next()).value
}

const said = ({ result }: Message) => textOf({ content: result?.content })

describe('a session of a 2025 client', () => {
  it('is given only where the client can be asked', async () => {
    const caller = await p.key(owner)
    const { post, headers } = await opened(p, caller)
    expect(headers['mcp-session-id']).toMatch(/^[\w.-]{100,600}$/)
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
    const begun = await post({ id: 1, method: 'initialize', params })
    expect(begun.status).toBe(200)
    expect(begun.headers.get('mcp-session-id')).toBeNull()
  })

  it('is not known to another credential, nor once it was changed', async () => {
    const { post, headers } = await opened(p, await p.key(owner))
    const list = { id: 2, method: 'tools/list' }
    const other = await p.key(owner)
    const id = headers['mcp-session-id']
    const changed = `${id.slice(0, -4)}${id.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`
    expect((await post(list, headers)).status).toBe(200)
    expect((await post(list)).status).toBe(200)
    expect((await post(list, { ...headers, 'x-api-key': other.token })).status).toBe(404)
    expect((await post(list, { ...headers, 'mcp-session-id': changed })).status).toBe(404)
  })

  it('grants nothing: what a credential lost while its question was open is refused', async () => {
    const victim = await p.key(owner, { scopes: [] })
    const caller = await p.key(owner)
    const { post, headers, del } = await opened(p, caller)
    const [reduced, deleted] = [await del(victim.id), await del(victim.id, 3)]
    const [{ id }, { id: idToo }] = [await next(reduced), await next(deleted)]
    const key = { workspaceId: owner.workspaceId, id: caller.id }
    await p.call('api_keys.patch', { ...key, scopes: ['api_keys:read'] }, owner)
    expect((await post({ id, result: yes }, headers)).status).toBe(202)
    expect(said(await next(reduced))).toContain('lacks the scope api_keys:delete')
    await p.call('api_keys.del', key, owner)
    expect((await post({ id: idToo, result: yes }, headers)).status).toBe(401)
    expect(await isGone(victim)).toBe(false)
    await deleted.return(undefined)
  })
})

describe('a question to a 2025 client', () => {
  it('has an id of its own, and is answered in its session only', async () => {
    const victims = [await p.key(owner, { scopes: [] }), await p.key(owner, { scopes: [] })] as const
    const caller = await p.key(owner)
    const [one, other] = [await opened(p, caller), await opened(p, caller)]
    const [first, second] = [await one.del(victims[0].id), await other.del(victims[1].id)]
    const [asked, askedToo] = [await next(first), await next(second)]
    expect(asked).toMatchObject({ method: 'elicitation/create', id: expect.stringMatching(/^[0-9a-f-]{36}$/) })
    expect(asked.id).not.toBe(askedToo.id)
    expect((await other.post({ id: asked.id, result: yes }, other.headers)).status).toBe(202)
    expect((await one.post({ id: asked.id, result: { action: 'decline' } }, one.headers)).status).toBe(202)
    expect((await other.post({ id: askedToo.id, result: yes }, other.headers)).status).toBe(202)
    expect(said(await next(first))).toContain('the person said no')
    expect(said(await next(second))).not.toContain('said no')
    expect([await isGone(victims[0]), await isGone(victims[1])]).toEqual([false, true])
  })

  it('ends with the call that the client cancels', async () => {
    const victim = await p.key(owner, { scopes: [] })
    const { post, headers, del } = await opened(p, await p.key(owner))
    const messages = await del(victim.id, 7)
    const { id } = await next(messages)
    await post({ method: 'notifications/cancelled', params: { requestId: 6 } }, headers)
    await post({ method: 'notifications/cancelled', params: { requestId: 7 } }, headers)
    await post({ id, result: yes }, headers)
    expect(said(await next(messages))).toContain('the client cancelled the call')
    expect(await isGone(victim)).toBe(false)
  })

  it('ends when the client goes away, and makes room for others', async () => {
    const victim = await p.key(owner, { scopes: [] })
    const { del } = await opened(p, await p.key(owner))
    const open = await Promise.all(Array.from({ length: 20 }, (_, index) => del(victim.id, index)))
    for (const messages of open) expect(await next(messages)).toMatchObject({ method: 'elicitation/create' })
    expect(said(await next(await del(victim.id)))).toContain('20 questions wait for an answer already')
    for (const messages of open) await messages.return(undefined)
    // The server hears of a closed connection when it does; until then it refuses.
    let answer: Message = {}
    for (let tries = 0; tries < 200 && answer.method === undefined; tries++) {
      const messages = await del(victim.id)
      answer = await next(messages)
      await messages.return(undefined)
    }
    expect(answer.method).toBe('elicitation/create')
    expect(await isGone(victim)).toBe(false)
  })

  it('ends when the service stops, with what to do', async () => {
    const q = await platformForTest()
    const someone = await q.user()
    const { del } = await opened(q, await q.key(someone))
    const messages = await del((await q.key(someone)).id)
    await next(messages)
    const stopped = q.close()
    expect(said(await next(messages))).toContain('the service is stopping. Nothing was done; try again in a moment.')
    await stopped
  })

  it.runIf(isPostgres)('is answered through any process', async () => {
    const other = await beside(p)
    onTestFinished(() => other.close())
    const elsewhere = await other.app.listen({ port: 0, host: '127.0.0.1' })
    const there: number[] = []
    /** What a load balancer may do: the session begins in one process, the call runs in another, the first is answered. */
    const split: typeof fetch = async (url, init) => {
      const isCall = typeof init?.body === 'string' && JSON.parse(init.body).method === 'tools/call'
      if (!isCall) return await fetch(url, init)
      const answer = await fetch(new URL(new URL(String(url)).pathname, elsewhere), init)
      there.push(answer.status)
      return answer
    }
    const attempt = async (answer: PersonAnswer) => {
      const victim = await p.key(owner, { scopes: [] })
      const options = { path: '/mcp/x/api_keys', era: '2025-11-25' as const, answer, fetch: split }
      const client = await connect(p, await p.key(owner), options)
      await client.callTool({ name: 'api_keys_del', arguments: { id: victim.id } })
      await client.close()
      return await isGone(victim)
    }
    expect([await attempt(yes), await attempt({ action: 'decline' })]).toEqual([true, false])
    expect(there).toEqual([200, 200])
  })
})
