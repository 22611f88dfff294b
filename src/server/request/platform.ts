// What the rooms of the server share: made once in main.ts or by a test, handed down as an argument.

import type { PolicyReader } from '../../contract/tool_policy.ts'
import type { Carrier } from '../../kit/carrying.ts'
import type { ClickHouse } from '../../kit/clickhouse.ts'
import type { Fetch, Log } from '../../kit/context.ts'
import type { Database } from '../../kit/db.ts'
import type { Gate } from '../../kit/gate.ts'
import type { Gather } from '../../kit/gather.ts'
import type { AnyHandler } from '../../kit/implement.ts'
import type { LimitGuard } from '../../kit/plans.ts'
import type { Settings } from '../../kit/settings.ts'
import type { Config } from '../config.ts'
import type { Principals } from '../credentials/principals.ts'
import type { Uses } from '../credentials/uses.ts'
import type { LedgerFeed } from '../ledger/feed.ts'
import type { Ledger } from '../ledger/writer.ts'
import type { Tracer } from '../watch/tracing.ts'
import type { Followers } from '../work/followers.ts'
import type { SystemGit } from '../work/git/git.ts'
import type { JobRunner } from '../work/jobs.ts'
import type { CallLog } from './call_log.ts'
import type { Limiter } from './limits.ts'
import type { RequestLog } from './request_log.ts'

export type Platform = {
  config: Config
  settings: Settings
  database: Database
  principals: Principals
  policies: PolicyReader
  gate: Gate
  limits: LimitGuard
  callLog: CallLog
  requestLog: RequestLog
  limiter: Limiter
  jobs: JobRunner
  followers: Followers
  uses: Uses
  feed: LedgerFeed
  secretKey: string
  ledger: Ledger
  /** Calls addresses that strangers chose. */
  outbound: Fetch
  git: SystemGit
  gather: Gather
  clickhouse: ClickHouse | null
  carriers: readonly Carrier[]
  handlers: Readonly<Record<string, AnyHandler>>
  /** Only where traces are collected. */
  tracer: Tracer | undefined
  log: Log
  now: () => Date
}
