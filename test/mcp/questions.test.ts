// The bounds of questions to 2025 clients: how long, how many, how much, and nothing left when nobody is there.
import { describe, expect, it } from 'vitest'
import { scopes } from '../../src/contract/scopes.ts'
import { startQuestions } from '../../src/mcp/questions.ts'
import { createMcp } from '../../src/mcp/serve.ts'
import type { Visit } from '../../src/mcp/server.ts'
import { secretsFrom } from '../../src/server/upkeep/secrets.ts'

const asker = { credentialId: 'key_1', sessionId: 'one', callId: 1 }
const silent = () => {}

describe('a question', () => {
  it('is given up when nobody answers in time', async () => {
    const { ask, take } = startQuestions({ patienceMs: 1 })
    let id: string | null = null
    const answer = await new Promise(resolve => {
      id = ask(asker, resolve)
    })
    expect(answer).toMatchObject({ id, error: { message: expect.stringContaining('nobody answered in time') } })
    expect(take({ sessionId: 'one', message: { jsonrpc: '2.0', id: String(id), result: {} } })).toBe(false)
  })

  it('waits beside so many of the same credential, and no more', () => {
    const { ask, forget, close } = startQuestions({ mostPerCredential: 2 })
    const ids = [ask(asker, silent), ask({ ...asker, sessionId: 'two' }, silent)]
    const told: unknown[] = []
    expect(ask(asker, answer => told.push(answer))).toBeNull()
    expect(told).toMatchObject([{ error: { message: expect.stringContaining('2 questions wait') } }])
    expect(ask({ ...asker, credentialId: 'key_2' }, silent)).not.toBeNull()
    forget(String(ids[0]))
    expect(ask(asker, silent)).not.toBeNull()
    close()
  })

  it('is answered once', () => {
    const { ask, take, close } = startQuestions()
    const told: unknown[] = []
    const id = String(ask(asker, answer => told.push(answer)))
    const message = { jsonrpc: '2.0' as const, id, result: { action: 'accept' } }
    expect([take({ sessionId: 'two', message }), take({ sessionId: 'one', message })]).toEqual([false, true])
    expect(take({ sessionId: 'one', message })).toBe(false)
    expect(told).toEqual([message])
    close()
  })
})

const secrets = secretsFrom('0'.repeat(64))
const sessions = {
  seal: (text: string) => secrets.seal('mcp session', text, ''),
  open: (sealed: string) => secrets.open('mcp session', sealed, ''),
}

const visit: Visit = {
  view: {
    toolset: { areas: ['api_keys'], isReadonly: false },
    standing: {
      credential: 'key',
      callerKind: null,
      scopes,
      userId: 'usr_1',
      boundTo: 'ws_1',
      role: 'owner',
      workspaceId: 'ws_1',
      workspaceStatus: 'active',
      unverified: false,
    },
    policies: new Map(),
  },
  credentialId: 'key_1',
  call: () => Promise.reject(new Error('nothing may be called')),
}

/** A process that has asked a question, and what it hands on to others. */
async function asked() {
  const told: string[] = []
  const tell = async (news: string) => void told.push(news)
  const hear = () => () => {}
  const mcp = createMcp({ publicUrl: 'http://127.0.0.1', stateKey: 'k'.repeat(32), sessions, tell, hear })
  const left = new AbortController()
  let sessionId = ''
  const post = (message: object, signal?: AbortSignal) => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(sessionId && { 'mcp-session-id': sessionId }),
    }
    const request = new Request('http://127.0.0.1/mcp', { method: 'POST', headers, ...(signal && { signal }) })
    return mcp.fetch(request, visit, { jsonrpc: '2.0', ...message })
  }
  const clientInfo = { name: 'test', version: '1' }
  const params = { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo }
  const begun = await post({ id: 1, method: 'initialize', params })
  sessionId = begun.headers.get('mcp-session-id') ?? ''
  const call = { name: 'api_keys_del', arguments: { id: 'x' } }
  const stream = await post({ id: 2, method: 'tools/call', params: call }, left.signal)
  const reader = (stream.body as ReadableStream<Uint8Array>).getReader()
  const read = async () => new TextDecoder().decode((await reader.read()).value)
  const { id } = JSON.parse((await read()).split('data: ')[1] ?? '')
  return { post, told, left, id, read, close: () => mcp.close() }
}

describe('a process that asked', () => {
  it('takes the answer itself', async () => {
    const { post, told, id, read, close } = await asked()
    expect((await post({ id, result: { action: 'decline' } })).status).toBe(202)
    expect(await read()).toContain('the person said no')
    expect(told).toEqual([])
    await close()
  })

  it('waits no more when the client has left the stream', async () => {
    const { post, told, left, id, close } = await asked()
    left.abort()
    expect((await post({ id, result: { action: 'accept', content: { confirm: true } } })).status).toBe(202)
    // Not its own any more: handed on as if it had never asked.
    expect(told.map(news => JSON.parse(news).message.id)).toEqual([id])
    await close()
  })

  it('takes no answer that is too long to hand on', async () => {
    const { post, told, id, close } = await asked()
    expect((await post({ id, result: { action: 'accept', content: { confirm: 'x'.repeat(4_000) } } })).status).toBe(413)
    expect((await post({ id: 'unknown', result: {} })).status).toBe(202)
    expect(told).toHaveLength(1)
    await close()
  })
})
