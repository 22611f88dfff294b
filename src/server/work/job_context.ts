// What a job or a follower may touch: the context of a handler without a caller, with mail and the ledger.
import type { ClickHouse } from '../../kit/clickhouse.ts'
import type { Feed, Fetch, Log } from '../../kit/context.ts'
import type { Database } from '../../kit/db.ts'
import type { CallAsRun, JobContext, ToolsOfRun } from '../../kit/jobs.ts'
import type { Settings } from '../../kit/settings.ts'
import type { Config } from '../config.ts'
import { type Ledger, systemEntry } from '../ledger/writer.ts'
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
  call: CallAsRun
  tools: ToolsOfRun
  tracer: Tracer | undefined
  now: () => Date
}

export function jobContexts(options: Options): JobContextMaker {
  const { config, database, settings, ledger, feed, outbound, git, clickhouse, call, tools, tracer, now } = options
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
      git: git.of({ key: gitKey, signal }),
      fetch: (url, options) => outbound(url, { signal, ...options }),
      sendMail: async message => {
        const messageId = `<${id.replaceAll(':', '-')}@${host}>`
        const send = () => sendMail(message, messageId)
        await (tracer ? tracer.during({ name: 'mail', kind: 'client' }, send) : send())
        // To whom it went is nobody's business here.
        log.info({ messageId }, 'a mail was handed over')
      },
      record: async (tx, { chain, action, target }) => {
        await ledger.append(tx, [{ chain, ...systemEntry(action, { target, changes: [] }, now(), 'job', id) }])
      },
    }
  }
}
