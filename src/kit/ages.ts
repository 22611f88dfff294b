// How long rows are kept, as an area says it in its jobs.ts: table → by which column it ages, and how old it may get.

/** Over by itself, such as a code that has expired: removed within the hour. */
export type Expiring = {
  column: string
  /** Days beyond what the column says; none where nothing is said. */
  afterDays?: number
}

export type Ages = Readonly<Record<string, Expiring>>
