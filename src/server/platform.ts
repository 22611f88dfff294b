// What the rooms of the server share: made once in main.ts or by a test, handed down as an argument.

import type { PolicyReader } from '../contract/tool_policy.ts'
import type { Log } from '../kit/context.ts'
import type { Database } from '../kit/db.ts'
import type { AnyHandler } from '../kit/implement.ts'
import type { Settings } from '../kit/settings.ts'
import type { Config } from './config.ts'
import type { LedgerFeed } from './feed.ts'
import type { JobRunner } from './jobs.ts'
import type { LedgerKey } from './ledger.ts'
import type { Limiter } from './limits.ts'
import type { Outbound } from './outbound.ts'
import type { Principals } from './principals.ts'
import type { Tracer } from './tracing.ts'
import type { Uses } from './uses.ts'

export type Platform = {
  config: Config
  settings: Settings
  database: Database
  principals: Principals
  policies: PolicyReader
  limiter: Limiter
  jobs: JobRunner
  uses: Uses
  feed: LedgerFeed
  secretKey: string
  ledgerKey: LedgerKey
  /** Reads addresses that strangers chose. */
  outbound: Outbound
  handlers: Readonly<Record<string, AnyHandler>>
  /** Only where traces are collected. */
  tracer: Tracer | undefined
  log: Log
  now: () => Date
}
