// How long rows are kept, as an area says it in its jobs.ts: table → by which column it ages, and how old it may get.

/** Over by itself, such as a code that has expired: removed within the hour. */
export type Expiring = {
  column: string
  /** Days beyond what the column says; none where nothing is said. */
  afterDays?: number
}

/** Records that a workspace keeps as long as its settings say: removed once a day, which its ledger is told. */
export type Aging = {
  column: string
  /** In the workspace's settings, under `retention`. */
  setting: string
  defaultDays: number
  /** One of the area's events. */
  event: `${string}.${string}`
}

/** A table that ages under a setting has `workspace_id`. */
export type Ages = Readonly<Record<string, Expiring | Aging>>
