// Answers that do not mean well: none of them may hang the client, end the process, fill memory or be answered.
import { describe, expect, it } from 'vitest'
import { call, expectNothingUnhandled, failing, good } from '../helpers/mcp_calls.ts'
import { answer, bodyOf, listening, misbehaving, type Question, stream } from '../helpers/mcp_servers.ts'

expectNothingUnhandled()

describe('a stream', () => {
  it('that never ends is left when the time is over', async () => {
    const closed = Promise.withResolvers<void>()
    const { fault, message } = await failing(({ outgoing }) => {
      const say = stream(outgoing)
      const clock = setInterval(() => say({ jsonrpc: '2.0', method: 'notifications/progress', params: {} }), 20)
      outgoing.on('close', () => {
        clearInterval(clock)
        closed.resolve()
      })
    }, 700)
    expect([fault, message]).toEqual(['timeout', 'The server did not answer within 1 s.'])
    await closed.promise
  })

  it('that pours out notifications is left when it is too large', async () => {
    const { fault } = await failing(({ outgoing }) => {
      const say = stream(outgoing)
      const pour = () => {
        while (
          !outgoing.destroyed &&
          say({ jsonrpc: '2.0', method: 'notifications/message', params: 'x'.repeat(60_000) })
        );
      }
      outgoing.on('drain', pour)
      pour()
    })
    expect(fault).toBe('too_large')
  })

  it('of a single line that never ends is left when it is too large', async () => {
    const { fault } = await failing(({ outgoing }) => {
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
      const pour = () => {
        while (!outgoing.destroyed && outgoing.write(`data:${'y'.repeat(60_000)}`));
      }
      outgoing.on('drain', pour)
      pour()
    })
    expect(fault).toBe('too_large')
  })

  it('is left with the answer, whatever would follow', async () => {
    const closed = Promise.withResolvers<void>()
    const { url } = await misbehaving(({ question, outgoing }) => {
      const say = stream(outgoing)
      outgoing.on('close', closed.resolve)
      say({ jsonrpc: '2.0', id: question.id, result: good })
    })
    expect(await call(url)).toMatchObject({ text: 'done' })
    await closed.promise
  })

  it('is read in pieces of any size, with any ends of lines and other fields', async () => {
    const { url } = await misbehaving(({ question, outgoing }) => {
      outgoing.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
      const json = JSON.stringify({
        jsonrpc: '2.0',
        id: question.id,
        result: { content: [{ type: 'text', text: 'Zürich' }] },
      })
      const half = json.indexOf('"result"')
      const text = `: hello\r\nretry: 1\r\n\r\nid: 7\r\nevent: message\rdata: ${json.slice(0, half)}\r\ndata:${json.slice(half)}\r\n\r\n`
      const bytes = [...Buffer.from(text)]
      const next = () => {
        const byte = bytes.shift()
        if (byte === undefined) return void outgoing.end()
        outgoing.write(Buffer.of(byte), () => setImmediate(next))
      }
      next()
    })
    expect(await call(url)).toMatchObject({ text: 'Zürich' })
  })

  it('that ends without an answer is a failure at once', async () => {
    const { fault, message } = await failing(({ outgoing }) => {
      stream(outgoing)({ jsonrpc: '2.0', method: 'notifications/progress' })
      outgoing.end()
    })
    expect([fault, message]).toEqual(['protocol', 'The server ended the connection without an answer.'])
  })

  it('that breaks is a failure at once', async () => {
    const { fault } = await failing(({ outgoing }) => {
      stream(outgoing)({ jsonrpc: '2.0', method: 'notifications/progress' })
      setTimeout(() => outgoing.destroy(), 20)
    })
    expect(fault).toBe('unreachable')
  })
})

describe('a server that asks', () => {
  const asked = ['sampling/createMessage', 'elicitation/create', 'roots/list', 'ping', 'made/up']

  it('gets no answer, and its questions do not stand in the way of its own', async () => {
    const { url, seen } = await misbehaving(({ question, outgoing }) => {
      const say = stream(outgoing)
      for (const method of asked) say({ jsonrpc: '2.0', id: question.id, method, params: {} })
      for (const method of asked) say({ jsonrpc: '2.0', id: `mine ${method}`, method, params: {} })
      say({ jsonrpc: '2.0', id: 4711, result: { content: [{ type: 'text', text: 'not yours' }] } })
      say({ jsonrpc: '2.0', id: question.id, result: good })
    })
    expect(await call(url)).toMatchObject({ text: 'done' })
    const methods = seen.map(({ method }) => method)
    expect(methods).toEqual(['server/discover', 'initialize', 'notifications/initialized', 'tools/call'])
  })

  it('offers nothing that it could ask for', async () => {
    const { url, seen } = await misbehaving(({ question, outgoing }) => answer(outgoing, question, good))
    await call(url)
    expect(seen[1]?.params?.capabilities).toEqual({})
  })

  it('in the way of the newest revision is refused', async () => {
    const url = await listening(async (incoming, outgoing) => {
      const question: Question = JSON.parse(await bodyOf(incoming))
      const discovered = {
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: {} },
        ttlMs: 0,
        cacheScope: 'private',
      }
      const inputRequests = {
        a: { method: 'elicitation/create', params: { mode: 'url', url: 'https://evil.example' } },
      }
      if (question.method === 'server/discover') answer(outgoing, question, { resultType: 'complete', ...discovered })
      else answer(outgoing, question, { resultType: 'input_required', inputRequests, requestState: 'x' })
    })
    await expect(call(url)).rejects.toMatchObject({ fault: 'protocol', code: 'input_required' })
  })
})

describe('an answer', () => {
  it('to another question is none', async () => {
    const { fault, message } = await failing(({ outgoing }) => answer(outgoing, { id: 4711 }, good))
    expect([fault, message]).toEqual(['protocol', 'The server answered another question than it was asked.'])
  })

  it.each([
    ['of many megabytes', 'too_large', `"${'x'.repeat(5 << 20)}"`],
    ['that is nested too deep', 'protocol', '['.repeat(500_000)],
    ['that is no JSON', 'protocol', '{"jsonrpc":'],
    ['that is a number', 'protocol', '1'],
    ['of nothing but null', 'protocol', 'null'],
    ['that is empty', 'protocol', ''],
  ])('%s is refused', async (_, fault, text) => {
    const failure = await failing(({ outgoing }) => {
      outgoing.writeHead(200, { 'content-type': 'application/json' }).end(text)
    })
    expect(failure.fault).toBe(fault)
  })

  it('of another type is refused', async () => {
    const { fault, message } = await failing(
      ({ outgoing }) => void outgoing.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
    )
    expect([fault, message]).toEqual(['protocol', 'The address answers with text/html, which no MCP server does.'])
  })

  it.each([
    ['no content', {}],
    [
      'content of odd parts',
      { content: [null, 1, 'x', [], { type: 7 }, { type: 'text' }, { type: 'text', text: {} }] },
    ],
    ['odd fields', { content: 'x', structuredContent: [1], isError: 'yes', __proto__: { a: 1 } }],
  ])('with %s is taken as far as it goes', async (_, result) => {
    const { url } = await misbehaving(({ question, outgoing }) => answer(outgoing, question, result))
    expect(await call(url)).toMatchObject({ isError: false, structuredContent: null })
  })

  it('of a tool is cut where it is long, and pictures are named only', async () => {
    const data = Buffer.alloc(3_000).toString('base64')
    const content = [
      { type: 'image', data, mimeType: 'image/png' },
      { type: 'audio', data, mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'file:///a.txt', text: 'a file' } },
      { type: 'resource', resource: { uri: 'file:///b.bin', blob: data, mimeType: 'application/zip' } },
      { type: 'resource_link', uri: 'https://docs.example/1', name: 'Manual' },
      { type: 'video', url: 'https://v.example' },
      { type: 'text', text: `NUL \0 half \ud83d ${'ü'.repeat(200_000)}` },
    ]
    const { url } = await misbehaving(({ question, outgoing }) => answer(outgoing, question, { content }))
    const result = await call(url)
    expect(result.isCut).toBe(true)
    expect(result.content.slice(0, 6)).toEqual([
      { type: 'left_out', kind: 'image', mimeType: 'image/png', bytes: 3_000 },
      { type: 'left_out', kind: 'audio', mimeType: 'audio/wav', bytes: 3_000 },
      { type: 'resource', uri: 'file:///a.txt', text: 'a file' },
      { type: 'left_out', kind: 'resource', mimeType: 'application/zip', bytes: 3_000 },
      { type: 'link', uri: 'https://docs.example/1', name: 'Manual' },
      { type: 'left_out', kind: 'video', mimeType: null, bytes: 42 },
    ])
    expect(Buffer.byteLength(result.text)).toBeLessThan(257 * 1024)
    expect(result.text).toMatch(/^\[image\/png left out, 3000 bytes\]\n.*\na file\n/)
    expect(result.text).toContain('NUL \ufffd half \ufffd üü')
  })

  it('of structure alone is given as text, too, and left out where it is too large', async () => {
    let structuredContent: object = { degrees: 21 }
    const { url } = await misbehaving(({ question, outgoing }) =>
      answer(outgoing, question, { content: [], structuredContent }),
    )
    expect(await call(url)).toMatchObject({ structuredContent, text: '{"degrees":21}', isCut: false })
    structuredContent = { long: 'x'.repeat(300_000) }
    expect(await call(url)).toMatchObject({ structuredContent: null, isCut: true })
  })
})
