// Threads in which people, a script, an outside runner and the built-in one write, while the service, the runner or both are killed.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Database } from '../../src/kit/db.ts'
import { sql } from '../../src/kit/sql.ts'
import type { Asked } from '../helpers/model_requests.ts'
import { modelKey, modelServer, type Turn, type Wire } from '../helpers/model_server.ts'
import { signUp } from '../helpers/persistent.ts'
import { freePort, type Service, start } from '../helpers/service.ts'
import { compareThreads } from './thread_compare.ts'
import { type Client, client } from './writers.ts'

const between = (least: number, most: number) => least + Math.random() * (most - least)
const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

export type Engine = { env: Record<string, string>; open(): Promise<Database> }

/** One thread, its run, and what the service said that people have written in it. */
export type Watched = { id: string; kind: 'script' | 'external' | 'builtin'; runId: string; said: string[] }

const scriptOf = (word: string) => [
  { say: `${word} one` },
  {
    call: { operation: 'memories.post', input: { title: `Memory ${word}`, markdown: `What ${word} found.` } },
    as: 'made',
  },
  { expect: 'made.status == 201' },
  { say: `${word} two` },
  { hypothesis: { statement: `Because of ${word}`, steps: [{ say: `${word} below` }] } },
  { say: `${word} three` },
]

/** Asks for an approval, and says that it is done when it was told the result. */
function modelTurn({ said }: Asked): Turn {
  const word = /Work on (\w+)\./.exec(said.map(({ text }) => text).join('\n'))?.[1] ?? 'nothing'
  if (said.some(({ role }) => role === 'result')) return { text: `${word} two, and that is all of it.` }
  const input = { title: `Approved ${word}` }
  const call = { tool: 'call_write_operation', args: { operation: 'issues.post', input } }
  return { text: `${word} one, which needs an issue.`, calls: [call] }
}

export async function killThreads({ env, open }: Engine, rounds: number): Promise<Record<string, number>> {
  const limits = { RATE_LIMIT: '1000000', ANONYMOUS_RATE_LIMIT: '1000000', LOG_LEVEL: 'silent' }
  const port = await freePort()
  const settings = { ...env, ...limits, PUBLIC_URL: `http://127.0.0.1:${port}`, OUTBOUND_ALLOW: '127.0.0.1' }
  const model = await modelServer(modelTurn)
  const wire: Wire = env.DATABASE_URL ? 'anthropic' : 'openai'
  const world = new World(settings, port, open, { wire, model: 'stand-in', key: modelKey, baseUrl: model.baseUrl })
  try {
    await world.begin()
    const killed = { server: 0, runner: 0, both: 0 }
    for (let round = 1; round <= rounds; round++) {
      const writing = world.write()
      await pause(between(50, 1_500))
      const what = (['server', 'runner', 'both'] as const)[round % 3] ?? 'both'
      killed[what]++
      await world.kill(what)
      await writing
      await world.restore()
    }
    const figures = await world.settle()
    if (model.faults.length > 0) throw new Error(`the model was asked wrongly: ${model.faults.join('; ')}`)
    return { rounds, ...killed, ...figures }
  } finally {
    model.close()
    await world.end()
  }
}

class World {
  readonly watched: Watched[] = []
  private unanswered: { path: string; body: object; key: string; keep: (result: Record<string, unknown>) => void }[] =
    []
  private service: Service | undefined
  private runner: ChildProcess | undefined
  private token = ''
  private workspaceId = ''
  private isOver = false
  private deciding: Promise<void> | undefined
  private readonly settings: Record<string, string>
  private readonly port: number
  private readonly open: () => Promise<Database>
  private readonly agent: object

  constructor(settings: Record<string, string>, port: number, open: () => Promise<Database>, agent: object) {
    this.settings = settings
    this.port = port
    this.open = open
    this.agent = agent
  }

  private get send(): Client {
    return client(this.service?.url ?? '', this.token)
  }

  async begin(): Promise<void> {
    this.service = await start(this.settings, this.port)
    const { token, workspaceId } = await signUp(this.service)
    Object.assign(this, { token, workspaceId })
    await this.send('PATCH', `/workspaces/${workspaceId}/settings`, { agent: this.agent })
    this.runner = this.startRunner()
    this.deciding = this.decide()
  }

  private startRunner(): ChildProcess {
    const env = { PATH: process.env.PATH ?? '', BASE_URL: this.service?.url ?? '' }
    const file = join(import.meta.dirname, 'thread_runner.ts')
    return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', file], {
      env: { ...env, WORKSPACE: this.workspaceId, TOKEN: this.token },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  }

  /** A person approves whatever is asked for, as long as all this goes on. */
  private async decide(): Promise<void> {
    const path = () => `/agent_tools/${this.workspaceId}/approvals`
    while (!this.isOver) {
      try {
        const { result } = await this.send('GET', `${path()}?status=pending&perPage=100`)
        for (const { id } of result.items as { id: string }[]) {
          await this.send('POST', `${path()}/${id}/decide`, { decision: 'approved' })
        }
      } catch {
        // Dead, or decided by an earlier try whose answer never came.
      }
      await pause(100)
    }
  }

  /** Carried out once, however often it has to be sent. */
  private async post(path: string, body: object, keep: (result: Record<string, unknown>) => void): Promise<void> {
    const key = randomBytes(12).toString('hex')
    try {
      keep((await this.send('POST', path, body, key)).result)
    } catch (error) {
      this.unanswered.push({ path, body, key, keep })
      throw error
    }
  }

  /** Three new threads with a run in each, and people who go on writing in them until nobody answers. */
  async write(): Promise<void> {
    const kinds = ['script', 'external', 'builtin'] as const
    await Promise.allSettled(kinds.map(kind => this.writeIn(kind)))
  }

  private async writeIn(kind: Watched['kind']): Promise<void> {
    const { workspaceId } = this
    const word = randomBytes(4).toString('hex')
    const type = kind === 'script' ? 'investigation' : 'chat'
    const thread: Watched = { id: '', kind, runId: '', said: [] }
    await this.post('/threads', { workspaceId, name: `Thread ${word}`, type }, ({ id }) => {
      thread.id = String(id)
      this.watched.push(thread)
    })
    const run = kind === 'script' ? { steps: scriptOf(word) } : { runner: kind, instructions: `Work on ${word}.` }
    await this.post(`/threads/${workspaceId}/${thread.id}/runs`, run, ({ id }) => {
      thread.runId = String(id)
    })
    for (let count = 0; count < 40; count++) {
      const text = `Person ${word} ${count}`
      await this.post('/messages', { workspaceId, threadId: thread.id, text }, () => void thread.said.push(text))
      await pause(20)
    }
  }

  async kill(what: 'server' | 'runner' | 'both'): Promise<void> {
    const dying: (Promise<unknown> | undefined)[] = []
    if (what !== 'server') {
      const { runner } = this
      dying.push(new Promise(resolve => (runner?.exitCode === null ? runner.once('close', resolve) : resolve(null))))
      runner?.kill('SIGKILL')
      this.runner = undefined
    }
    if (what !== 'runner') {
      dying.push(this.service?.stop('SIGKILL'))
      this.service = undefined
    }
    await Promise.all(dying)
  }

  /** What is dead is started again; where it was the service, more than a lease has passed meanwhile. */
  async restore(): Promise<void> {
    if (!this.service) {
      await this.passTime()
      this.service = await start(this.settings, this.port)
    }
    this.runner ??= this.startRunner()
    for (const { path, body, key, keep } of this.unanswered.splice(0)) {
      keep((await this.send('POST', path, body, key)).result)
    }
  }

  private async passTime(): Promise<void> {
    const database = await this.open()
    try {
      await database.query(sql`
        update agent_runs set lease_until = lease_until - interval '2 minutes' where lease_until is not null`)
      await database.query(sql`
        update jobs.job set started_on = started_on - interval '20 minutes' where state = 'active'`)
    } finally {
      await database.close()
    }
  }

  /** Every run must come to an end by itself; then everything is compared. */
  async settle(): Promise<Record<string, number>> {
    for (let cycle = 0; ; cycle++) {
      if (await this.isAllOver(20_000)) break
      if (cycle === 15) throw new Error(`runs that never end: ${JSON.stringify(await this.active())}`)
      await this.service?.stop()
      this.service = undefined
      await this.restore()
    }
    this.isOver = true
    await this.deciding
    return await compareThreads(this.send, this.workspaceId, this.watched)
  }

  private async isAllOver(ms: number): Promise<boolean> {
    for (const end = Date.now() + ms; Date.now() < end; await pause(250)) {
      if ((await this.active()).length === 0) return true
    }
    return false
  }

  private async active(): Promise<string[]> {
    const found: string[] = []
    for (const status of ['queued', 'running', 'waiting_on_agents', 'waiting_on_human']) {
      const { result } = await this.send('GET', `/threads/${this.workspaceId}?status=${status}&perPage=100`)
      found.push(...(result.items as { id: string }[]).map(({ id }) => `${id} ${status}`))
    }
    return found
  }

  async end(): Promise<void> {
    this.isOver = true
    this.runner?.kill('SIGKILL')
    await this.service?.stop('SIGKILL')
    await this.deciding
  }
}
