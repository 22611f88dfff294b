// Events while the service is killed between sending and writing down: what was answered arrives, at least once.
import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { signUp } from '../helpers/persistent.ts'
import { freePort, type Service, start } from '../helpers/service.ts'
import { ok, receiver } from '../integrations/receivers.ts'
import { type Client, client, Refused } from './writers.ts'

const between = (least: number, most: number) => least + Math.random() * (most - least)
const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))
const writers = 4
/** A lease of who died lasts for 4 s; then the sweep of the next minute finds what waits, on a busy machine too. */
const longestReturnMs = 180_000

type Target = Awaited<ReturnType<typeof receiver>> & {
  id: string
  /** Until the next message came, which is never answered. */
  next(): Promise<void>
  /** When it was answered that nothing is sent any more. */
  endedAt?: number
}

type Figures = Record<
  'rounds' | 'answered' | 'unanswered' | 'ofThemThere' | 'sent' | 'doubled' | 'ended' | 'toEnded',
  number
>

/** Names of teams, each of which is an event. */
type Names = { answered: Set<string>; unanswered: Set<string> }

/** `later` lets the time pass for which a place is kept for a process that may still live. */
export async function killDeliveries(
  env: Record<string, string>,
  rounds: number,
  later = async () => {},
): Promise<Figures> {
  const port = await freePort()
  const limits = { RATE_LIMIT: '1000000', ANONYMOUS_RATE_LIMIT: '1000000', LOG_LEVEL: 'silent' }
  const settings = { ...env, ...limits, OUTBOUND_ALLOW: '127.0.0.1', PUBLIC_URL: `http://127.0.0.1:${port}` }
  const names: Names = { answered: new Set(), unanswered: new Set() }
  const ended: Target[] = []
  let service: Service | undefined = await start(settings, port)
  try {
    const { token, workspaceId } = await signUp(service)
    const send = client(service.url, token)
    const whole = [await makeTarget(send, workspaceId), await makeTarget(send, workspaceId)]
    for (let round = 1; round <= rounds; round++) {
      const passing = await makeTarget(send, workspaceId)
      ended.push(passing)
      const writing = Promise.all(Array.from({ length: writers }, () => writeUntilKilled(send, workspaceId, names)))
      await Promise.race([writing, pause(between(50, 800)).then(() => end(send, workspaceId, passing, round))])
      await Promise.race([writing, pause(between(10, 700))])
      // Every other time in the middle of a message: it is there, and not yet answered.
      if (round % 2 === 0) await Promise.race([writing, whole[0]?.next(), pause(2_000)])
      await service.stop('SIGKILL')
      await writing
      await later()
      service = await start(settings, port)
    }
    await arrived(whole, names.answered)
    await nothingWaits(send, workspaceId, whole)
    for (const target of whole) expectSameMessages(target)
    for (const target of ended) expectNoneAfter(target)
    const told = new Set(whole.flatMap(titles))
    const sent = [...whole, ...ended].reduce((sum, { received }) => sum + received.length, 0)
    const ids = [...whole, ...ended].reduce((sum, target) => sum + new Set(target.received.map(idOf)).size, 0)
    return {
      rounds,
      answered: names.answered.size,
      unanswered: names.unanswered.size,
      ofThemThere: [...names.unanswered].filter(name => told.has(name)).length,
      sent,
      doubled: sent - ids,
      ended: ended.filter(({ endedAt }) => endedAt !== undefined).length,
      toEnded: ended.reduce((sum, { received }) => sum + received.length, 0),
    }
  } finally {
    await service?.stop('SIGKILL')
  }
}

async function makeTarget(send: Client, workspaceId: string): Promise<Target> {
  const target = await receiver()
  const config = { url: target.url, timeoutSeconds: 1 }
  const fields = { workspaceId, name: 'Crash', type: 'webhook', config, events: ['teams.*'] }
  const { result } = await send('POST', '/integrations', fields)
  const next = () =>
    new Promise<void>(resolve =>
      target.replyWith(() => {
        target.replyWith(ok)
        resolve()
      }),
    )
  return { ...target, id: String(result.id), next }
}

/** Half of them are paused and half deleted; one whose answer never came is not counted. */
async function end(send: Client, workspaceId: string, target: Target, round: number): Promise<void> {
  const path = `/integrations/${workspaceId}/${target.id}`
  try {
    if (round % 2 === 0) await send('DELETE', path)
    else await send('PATCH', path, { status: 'paused' })
    target.endedAt = performance.now()
  } catch (error) {
    if (error instanceof Refused) throw error
  }
}

async function writeUntilKilled(send: Client, workspaceId: string, { answered, unanswered }: Names): Promise<void> {
  for (;;) {
    const name = `Team ${randomBytes(6).toString('hex')}`
    try {
      await send('POST', '/teams', { workspaceId, name })
      answered.add(name)
    } catch (error) {
      if (error instanceof Refused) throw error
      unanswered.add(name)
      return
    }
  }
}

type Received = Target['received'][number]
const idOf = ({ headers }: Received) => String(headers['webhook-id'])
const titleOf = ({ body }: Received) => (JSON.parse(body) as { data: { target: { title: string } } }).data.target.title
const titles = ({ received }: Target) => received.map(titleOf)

async function arrived(targets: readonly Target[], names: ReadonlySet<string>): Promise<void> {
  const missing = () => {
    const there = targets.map(target => new Set(titles(target)))
    return [...names].filter(name => there.some(some => !some.has(name)))
  }
  for (const until = Date.now() + longestReturnMs; missing().length > 0 && Date.now() < until; ) await pause(500)
  expect(missing()).toEqual([])
}

/** Everything was written down as sent, and each event has one row. */
async function nothingWaits(send: Client, workspaceId: string, targets: readonly Target[]): Promise<void> {
  for (const target of targets) {
    const path = `/integrations/${workspaceId}/${target.id}/deliveries?perPage=1`
    const count = async (status = '') => (await send('GET', `${path}${status && `&status=${status}`}`)).result.count
    for (const until = Date.now() + longestReturnMs; (await count('pending')) !== 0 && Date.now() < until; ) {
      await pause(500)
    }
    const messages = new Set(target.received.map(idOf)).size
    expect([await count('pending'), await count('succeeded'), await count()]).toEqual([0, messages, messages])
  }
}

/** What came twice is the same message, and what is the same event is one message. */
function expectSameMessages({ received }: Target): void {
  const bodies = new Map(received.map(one => [idOf(one), one.body]))
  for (const one of received) expect(one.body).toBe(bodies.get(idOf(one)))
  expect(new Set([...bodies.values()].map(body => JSON.parse(body).data.seq)).size).toBe(bodies.size)
}

/** Beyond one that was under way. */
function expectNoneAfter({ received, endedAt }: Target): void {
  if (endedAt === undefined) return
  expect(received.filter(({ at }) => at > endedAt).length).toBeLessThanOrEqual(1)
}
