// SQL of findings: kept with the rows that they were found in, and taken out by whoever counts them on issues.
import { type Db, first } from '../../../kit/db.ts'
import { sql } from '../../../kit/sql.ts'
import type { Times } from './deciding.ts'
import { type Example, type Finding, othersOf, othersTitle, summed } from './findings.ts'
import type { Detection } from './recognising.ts'

/** More than that wait only where somebody makes up errors: they are not told apart then. */
const mostWaiting = 20_000

/** In the transaction of the rows where the engine has one, else after them. */
export async function keepFindings(db: Db, no: number, findings: readonly Finding[]): Promise<void> {
  if (findings.length === 0) return
  const waiting = await db.query(sql`
    select from dataset_findings where dataset_no = ${no}::int order by fingerprint offset ${mostWaiting}::int limit 1`)
  const kept = waiting.length === 0 ? findings : summed(findings)
  const told = kept.map(({ first, last, ...rest }) => ({ ...rest, first: String(first), last: String(last) }))
  await db.query(sql`
    insert into dataset_findings (dataset_no, fingerprint, first_at, last_at, count, title, body, severity, fields, example)
    select ${no}::int, fingerprint, first, last, count, title, body, severity, fields, example
    from json_to_recordset(${JSON.stringify(told)}::json) as f (fingerprint text, first bigint, last bigint, count bigint,
      title text, body text, severity text, fields jsonb, example jsonb)`)
}

/** Datasets of which findings wait. */
export const waitingDatasets = sql`
  select d.no from datasets d where exists (select from dataset_findings f where f.dataset_no = d.no) order by d.no`

export type DetectingDataset = { no: number; id: string; workspaceId: string; slug: string; issueDetection: Detection }

export function findDataset(db: Db, no: number): Promise<DetectingDataset | undefined> {
  return first(db, sql`select no, id, workspace_id, slug, issue_detection from datasets where no = ${no}::int`)
}

/** What comes later wakes another run. */
export async function lastOf(db: Db, no: number): Promise<string> {
  const row = await first<{ id: string }>(
    db,
    sql`select coalesce(max(id), 0)::text as id from dataset_findings where dataset_no = ${no}::int`,
  )
  return row?.id ?? '0'
}

export type Waiting = { fingerprint: string; times: Times[] }

/** What waits, by fingerprint: so many, behind the given one. */
export async function waitingOf(db: Db, no: number, after: string, most: number): Promise<Waiting[]> {
  const rows = await db.query<{ fingerprint: string; firsts: string[]; counts: string[] }>(sql`
    select fingerprint, array_agg(first_at::text order by id) as firsts, array_agg(count::text order by id) as counts
    from dataset_findings where dataset_no = ${no}::int and fingerprint > ${after}
    group by fingerprint order by fingerprint limit ${most}::int`)
  return rows.map(({ fingerprint, firsts, counts }) => ({
    fingerprint,
    times: firsts.map((at, index) => ({ first: BigInt(at), count: Number(counts[index]) })),
  }))
}

export type KeptFinding = Omit<Finding, 'first' | 'last' | 'example'> & {
  id: string
  first: bigint
  last: bigint
  example: Example
}

/** Of these fingerprints, up to the last one, the oldest first. */
export async function findingsOf(
  db: Db,
  no: number,
  fingerprints: readonly string[],
  last: string,
  most: number,
): Promise<KeptFinding[]> {
  const rows = await db.query<Omit<KeptFinding, 'first' | 'last'> & { first: string; last: string }>(sql`
    select id::text as id, fingerprint, first_at::text as first, last_at::text as last, count::float8 as count, title, body,
      severity, fields, example
    from dataset_findings
    where dataset_no = ${no}::int and fingerprint = any(${fingerprints}::text[]) and id <= ${last}::bigint
    order by first_at, id limit ${most}::int`)
  return rows.map(row => ({ ...row, first: BigInt(row.first), last: BigInt(row.last) }))
}

/** These are not told apart any more. */
export async function giveToOthers(
  db: Db,
  no: number,
  datasetId: string,
  fingerprints: readonly string[],
): Promise<void> {
  await db.query(sql`
    update dataset_findings set fingerprint = ${othersOf(datasetId)}, title = ${othersTitle}, body = '',
      fields = jsonb_strip_nulls(jsonb_build_object('kind', 'others', 'service', fields -> 'service'))
    where dataset_no = ${no}::int and fingerprint = any(${fingerprints}::text[])`)
}

/** How many of them were still there; whoever takes them as well waits. */
export async function takeFindings(db: Db, no: number, ids: readonly string[]): Promise<number> {
  const rows = await db.query(sql`
    delete from dataset_findings where dataset_no = ${no}::int and id = any(${ids}::bigint[]) returning id`)
  return rows.length
}

/** Those that were too few for too long. */
export async function dropOver(db: Db, no: number, windowSeconds: number): Promise<void> {
  await db.query(sql`
    delete from dataset_findings
    where dataset_no = ${no}::int and created < now() - make_interval(secs => ${windowSeconds}::int)`)
}
