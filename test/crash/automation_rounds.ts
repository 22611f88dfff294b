// Executions with every kind of step while the service is killed: each step is done once, and each execution ends.
import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { signUp } from '../helpers/persistent.ts'
import { freePort, type Service, start } from '../helpers/service.ts'
import { receiver } from '../integrations/receivers.ts'
import { type Client, client, Refused } from './writers.ts'

const between = (least: number, most: number) => least + Math.random() * (most - least)
const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))
/** What a lease of somebody who died keeps, and the sweep of the next minute. */
const longestReturnMs = 300_000

type Figures = Record<'rounds' | 'events' | 'executions' | 'steps' | 'requests' | 'requestsTwice', number>

const named = (what: string) => `${what} {{ trigger.event.target.id }}`

const stepsFor = (integrationId: string) => [
  { id: 'made', do: 'labels.post', with: { name: named('made') } },
  { id: 'changed', do: 'labels.patch', with: { id: '{{ steps.made.output.id }}', description: named('changed') } },
  {
    do: 'branch',
    if: 'trigger.event.type == "teams.post"',
    steps: [{ do: 'labels.post', with: { name: named('branch') } }],
    else: [{ do: 'labels.post', with: { name: named('never') } }],
  },
  {
    do: 'forEach',
    with: { items: ['a', 'b', 'c'], parallel: 3 },
    steps: [{ do: 'labels.post', with: { name: named('{{ item }}') } }],
  },
  { do: 'wait', with: { seconds: 1 } },
  {
    do: 'call_integration',
    with: { id: integrationId, input: { team: '{{ trigger.event.target.id }}' } },
    retry: { max: 5, backoffSeconds: 1 },
  },
  { do: 'thread', with: { instructions: 'Look.', runner: 'script', steps: [{ say: 'Looked.' }] } },
  { id: 'gone', do: 'labels.del', with: { id: '{{ steps.made.output.id }}' } },
]

const labelsLeft = 4
const writes = 7

/** `later` lets the time pass for which a place is kept for a process that may still live. */
export async function killExecutions(
  env: Record<string, string>,
  rounds: number,
  later = async () => {},
): Promise<Figures> {
  const port = await freePort()
  const limits = { RATE_LIMIT: '1000000', ANONYMOUS_RATE_LIMIT: '1000000', LOG_LEVEL: 'silent' }
  const settings = { ...env, ...limits, OUTBOUND_ALLOW: '127.0.0.1', PUBLIC_URL: `http://127.0.0.1:${port}` }
  let service: Service | undefined = await start(settings, port)
  const target = await receiver()
  try {
    const { token, workspaceId } = await signUp(service)
    const send = client(service.url, token)
    const id = await automationFor(send, workspaceId, target.url)
    const made = { answered: 0, unanswered: 0 }
    for (let round = 1; round <= rounds; round++) {
      const writing = writeUntilKilled(send, workspaceId, made)
      await pause(between(300, 2_500))
      await service.stop('SIGKILL')
      await writing
      await later()
      service = await start(settings, port)
      // Lives are shorter than an execution: otherwise more and more would wait, and be left out where the queue is full.
      if (round % 5 === 0) await fewOpen(send, workspaceId, id)
    }
    const executions = await allEnded(send, workspaceId, id, made.answered)
    const steps = await expectOnce(send, workspaceId, executions)
    const keys = target.received.map(({ headers }) => String(headers['idempotency-key']))
    expect(new Set(keys).size).toBe(executions)
    const { answered, unanswered } = made
    return {
      rounds,
      events: answered + unanswered,
      executions,
      steps,
      requests: keys.length,
      requestsTwice: keys.length - new Set(keys).size,
    }
  } finally {
    await service?.stop('SIGKILL')
  }
}

async function automationFor(send: Client, workspaceId: string, url: string): Promise<string> {
  const integration = { workspaceId, name: 'Crash target', type: 'custom', config: { url } }
  const { result } = await send('POST', '/integrations', integration)
  const fields = {
    ...{ workspaceId, name: 'Crash automation', triggers: [{ on: 'event', event: 'teams.post' }] },
    ...{ steps: stepsFor(String(result.id)), concurrency: 'parallel', maxPerHour: 100_000 },
    grants: [
      'teams:read',
      'labels:read',
      'labels:write',
      'labels:delete',
      'integrations:write',
      'threads:read',
      'threads:write',
      'messages:write',
    ],
  }
  // What destroys is refused to automations unless the workspace says otherwise.
  await send('PATCH', `/agent_tools/${workspaceId}/labels_del`, { perKind: { automation: 'allow' } })
  return String((await send('POST', '/automations', fields)).result.id)
}

/** A few a second: more would wait in the queue, and be left out where that is full. */
async function writeUntilKilled(send: Client, workspaceId: string, made: { answered: number; unanswered: number }) {
  for (;;) {
    try {
      await send('POST', '/teams', { workspaceId, name: `Team ${randomBytes(6).toString('hex')}` })
      made.answered++
    } catch (error) {
      if (error instanceof Refused) throw error
      made.unanswered++
      return
    }
    await pause(between(100, 400))
  }
}

async function fewOpen(send: Client, workspaceId: string, id: string): Promise<void> {
  const path = `/automations/${workspaceId}/${id}/executions?perPage=1`
  const statuses = ['pending', 'delayed', 'running', 'waiting'].map(status => `&status=${status}`).join('')
  for (const until = Date.now() + longestReturnMs; Date.now() < until; await pause(200)) {
    if (Number((await send('GET', `${path}${statuses}`)).result.count) < 10) return
  }
}

/** How many there are: at least one for each event that was answered. */
async function allEnded(send: Client, workspaceId: string, id: string, events: number): Promise<number> {
  const path = `/automations/${workspaceId}/${id}/executions?perPage=100`
  const count = async (status: string) => Number((await send('GET', `${path}&status=${status}`)).result.count)
  const open = async () =>
    (await Promise.all(['pending', 'delayed', 'running', 'waiting'].map(count))).reduce((sum, one) => sum + one, 0)
  for (const until = Date.now() + longestReturnMs; Date.now() < until; await pause(1_000)) {
    if ((await open()) === 0 && (await count('succeeded')) + (await count('failed')) >= events) break
  }
  const failed = (await send('GET', `${path}&status=failed`)).result.items as { error: string }[]
  expect(failed.map(({ error }) => error)).toEqual([])
  expect(await open()).toBe(0)
  const succeeded = await count('succeeded')
  expect(succeeded).toBeGreaterThanOrEqual(events)
  expect(Number((await send('GET', path)).result.count)).toBe(succeeded)
  return succeeded
}

/** By the ledger, which has an entry for each write that was carried out. */
async function expectOnce(send: Client, workspaceId: string, executions: number): Promise<number> {
  const entries = async (action: string) =>
    Number((await send('GET', `/audit_logs/${workspaceId}?action=${action}&outcome=success&perPage=1`)).result.count)
  const labels = Number((await send('GET', `/labels/${workspaceId}?perPage=1`)).result.count)
  const counts = {
    labels,
    posts: await entries('labels.post'),
    patches: await entries('labels.patch'),
    deletes: await entries('labels.del'),
    threads: await entries('threads.post'),
    calls: await entries('integrations.call'),
  }
  expect(counts).toEqual({
    labels: executions * labelsLeft,
    ...{
      posts: executions * (labelsLeft + 1),
      patches: executions,
      deletes: executions,
      threads: executions,
      calls: executions,
    },
  })
  return executions * writes
}
