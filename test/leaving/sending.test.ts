// Archives on their way: one of each sender is read at a time, few of all, and whoever goes away leaves nothing behind.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { platform, type TestCaller, type TestPlatform } from '../helpers/platform.ts'

let p: TestPlatform
let port: number
beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '100000' } })
  port = Number(new URL(await p.app.listen({ port: 0, host: '127.0.0.1' })).port)
})
afterAll(() => p.close())

const mebibyte = Buffer.alloc(1024 * 1024)

/** Announces a mebibyte and sends some of it. */
async function sending(by: TestCaller, body: Uint8Array): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  await once(socket, 'connect')
  const lines = [
    'POST /v1/workspaces/import HTTP/1.1',
    'host: a',
    'content-type: application/zip',
    `content-length: ${mebibyte.length}`,
    `authorization: Bearer ${by.token}`,
  ]
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  await new Promise(resolve => socket.write(body, resolve))
  return socket
}

const busy = '429 Another file of yours is being read; send this one when that is done.'
const full = '503 Too many large files are being read; try again later.'
const read = /^(400 The zip cannot be read|429 Import fewer archives)/

/** Of what is no archive. */
async function answerTo(by: TestCaller): Promise<string> {
  const body = new Uint8Array(10)
  const headers = { authorization: `Bearer ${by.token}`, 'content-type': 'application/zip' }
  const answer = await fetch(`http://127.0.0.1:${port}/v1/workspaces/import`, { method: 'POST', headers, body })
  const { error } = (await answer.json()) as { error: { detail: string } }
  return `${answer.status} ${error.detail}`
}

const soon = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 10_000 })

describe('workspaces.import', () => {
  it('reads one archive of a person at a time, and one of somebody else beside it', async () => {
    const [slow, other] = [await p.user('slow@example.com'), await p.user('other@example.com')]
    const socket = await sending(slow, mebibyte.subarray(1))
    await soon(async () => expect(await answerTo(slow)).toBe(busy))
    expect(await answerTo(other)).toMatch(read)
    socket.destroy()
    await soon(async () => expect(await answerTo(slow)).toMatch(read))
  })

  it('reads four at a time', async () => {
    const four = await Promise.all([1, 2, 3, 4].map(n => p.user(`sender${n}@example.com`)))
    const sockets = await Promise.all(four.map(one => sending(one, mebibyte.subarray(1))))
    await soon(async () => expect(await answerTo(await p.user())).toBe(full))
    sockets[0]?.destroy()
    await soon(async () => expect(await answerTo(await p.user())).toMatch(read))
  })

  it('goes on after people who sent all of it and left at once', async () => {
    const people = await Promise.all(Array.from({ length: 60 }, (_, n) => p.user(`hasty${n}@example.com`)))
    for (const [n, one] of people.entries()) {
      const socket = await sending(one, mebibyte)
      await setTimeout((n % 12) / 2)
      socket.destroy()
      await once(socket, 'close')
    }
    await soon(async () => expect(await answerTo(await p.user())).toMatch(read))
  })
})
