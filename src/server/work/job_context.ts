// What a job or a follower may touch: the context of a handler without a caller, with mail and the ledger.
import type { Carrier } from '../../kit/carrying.ts'
import type { ClickHouse } from '../../kit/clickhouse.ts'
import type { Feed, Fetch, Log } from '../../kit/context.ts'
import type { Database } from '../../kit/db.ts'
import type { CallAsRun, JobContext, JobEvent, ToolsOfRun } from '../../kit/jobs.ts'
import type { Settings } from '../../kit/settings.ts'
import { operation } from '../../operations.ts'
import type { Config } from '../config.ts'
import { changesBetween, fieldKinds } from '../ledger/changes.ts'
import { type Addition, type Ledger, systemEntry } from '../ledger/writer.ts'
import type { Tracer } from '../watch/tracing.ts'
import type { SystemGit } from './git/git.ts'
import { mailer } from './mail.ts'

export type JobContextMaker = (
  id: string,
  log: Log,
  signal: AbortSignal,
  /** Who shares the places of git with the others: the group of the job, where it has one. */
  gitKey?: string,
) => Omit<JobContext, 'enqueue' | 'attempt' | 'signal'>

type Options = {
  config: Config
  database: Database
  settings: Settings
  ledger: Ledger
  feed: Pick<Feed, 'tell'>
  outbound: Fetch
  git: SystemGit
  clickhouse: ClickHouse | null
  carriers: readonly Carrier[]
  call: CallAsRun
  tools: ToolsOfRun
  tracer: Tracer | undefined
  now: () => Date
}

export function jobContexts(options: Options): JobContextMaker {
  const { config, database, settings, ledger, feed, outbound, git, clickhouse, carriers, call, tools, tracer, now } =
    options
  const sendMail = mailer(config, database)
  const host = new URL(config.PUBLIC_URL).hostname
  return (id, log, signal, gitKey = id) => {
    return {
      id,
      db: database,
      transaction: work => database.transaction(work),
      settings,
      now,
      log,
      feed,
      call,
      tools,
      clickhouse,
      carriers,
      git: git.of({ key: gitKey, signal }),
      fetch: (url, options) => outbound(url, { signal, ...options }),
      sendMail: async message => {
        const { id: own = id, ...mail } = message
        const messageId = `<${own.replaceAll(':', '-')}@${host}>`
        const send = () => sendMail(mail, messageId)
        await (tracer ? tracer.during({ name: 'mail', kind: 'client' }, send) : send())
        // To whom it went is nobody's business here.
        log.info({ messageId }, 'a mail was handed over')
      },
      record: async (tx, events) => {
        const entries = [events].flat().map(event => ({ chain: event.chain, ...entryOf(event, now(), id) }))
        await ledger.append(tx, entries)
      },
    }
  }
}

function entryOf(event: JobEvent, at: Date, jobId: string): Omit<Addition, 'chain'> {
  const { action, target, actor, before, after, counts = {} } = event
  const { query, body, result } = operation(action) ?? {}
  const { changes, personal } = changesBetween(fieldKinds([query, body, result]), before, after)
  const counted = Object.entries(counts).map(([path, count]) => ({ path, after: count }))
  const told = { target, changes: [...changes, ...counted] }
  const own = systemEntry(action, told, at, actor?.surface ?? 'job', actor?.cause ?? jobId)
  const known = { ...own.personal, changes: personal }
  if (!actor) return { entry: own.entry, personal: known }
  return { entry: { ...own.entry, actor: { ...own.entry.actor, type: 'user', id: actor.userId } }, personal: known }
}
