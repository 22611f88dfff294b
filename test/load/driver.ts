// A load of its own making: so many requests a second whatever comes back (open), or as many as are answered (closed).
import { connect, type Socket } from 'node:net'

export type Outcome = { status: number; ms: number; kind: string }

export type Asked = { kind: string; bytes: string }

export type Load = {
  port: number
  /** What is asked, in turns. */
  asked: readonly Asked[]
  seconds: number
  connections: number
  /** Requests a second; absent: each connection asks again as soon as it is answered. */
  perSecond?: number
}

export type Result = { outcomes: Outcome[]; broken: number; unsent: number; seconds: number }

type Line = { socket: Socket; text: string; since: number; kind: string }

/** Drives the load for its time, then waits a moment for what is still out. */
export async function drive({ port, asked, seconds, connections, perSecond }: Load): Promise<Result> {
  const outcomes: Outcome[] = []
  const idle: Line[] = []
  const lines = new Set<Line>()
  let began = performance.now()
  const isOver = () => performance.now() - began > seconds * 1000
  let broken = 0
  let unsent = 0
  let sent = 0
  let hasBegun = false

  function ask(line: Line): void {
    const next = asked[sent++ % asked.length] as Asked
    line.since = performance.now()
    line.kind = next.kind
    line.socket.write(next.bytes)
  }

  function answered(line: Line, status: number): void {
    if (hasBegun) outcomes.push({ status, ms: performance.now() - line.since, kind: line.kind })
    line.since = 0
    if (hasBegun && perSecond === undefined && !isOver()) ask(line)
    else idle.push(line)
  }

  function open(): void {
    const line: Line = { socket: connect(port, '127.0.0.1'), text: '', since: 0, kind: '' }
    lines.add(line)
    line.socket.setNoDelay(true).setEncoding('latin1')
    line.socket.on('data', chunk => {
      line.text += chunk
      const status = wholeAnswer(line.text)
      if (status === 0) return
      line.text = ''
      answered(line, status)
    })
    line.socket.on('error', () => {})
    line.socket.on('close', () => {
      lines.delete(line)
      if (line.since > 0) broken++
    })
    ask(line)
  }

  function sendDue(rate: number): void {
    const due = Math.floor(((performance.now() - began) / 1000) * rate)
    while (sent + unsent < due) {
      let line = idle.pop()
      while (line?.socket.destroyed) line = idle.pop()
      if (line) ask(line)
      else unsent++
    }
  }

  // All are made before the load begins: the runtime takes one new connection per turn of its loop, however many wait.
  for (let index = 0; index < connections; index++) {
    open()
    if (index % 20 === 19) await pause(20)
  }
  for (let tries = 0; tries < 600 && idle.length < connections; tries++) await pause(50)
  hasBegun = true
  sent = 0
  began = performance.now()
  if (perSecond === undefined) for (const line of idle.splice(0)) ask(line)
  while (!isOver()) {
    if (perSecond !== undefined) sendDue(perSecond)
    await pause(5)
  }
  const took = (performance.now() - began) / 1000
  for (let tries = 0; tries < 200 && [...lines].some(line => line.since > 0); tries++) await pause(50)
  for (const { socket } of lines) socket.destroy()
  return { outcomes, broken, unsent, seconds: took }
}

/** The status of an answer that has arrived to its end, or 0. */
function wholeAnswer(text: string): number {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return 0
  const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
  return text.length >= end + 4 + length ? Number(text.slice(9, 12)) : 0
}

export function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}

export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}
