// SQL of automations themselves: what they are, when they are due, and where webhooks find them.
import type { Static } from 'typebox'
import type { QueryOf } from '../../contract/list.ts'
import type { Scope } from '../../contract/scopes.ts'
import { type Db, first, type Row } from '../../kit/db.ts'
import { labelled, labelsOf } from '../../kit/label_sql.ts'
import { listSql } from '../../kit/list_sql.ts'
import { type Reach, within } from '../../kit/owned.ts'
import { goneWith } from '../../kit/removal.ts'
import type { SealedValues } from '../../kit/sealed.ts'
import { assignments, cachedUntil, type Sql, sql } from '../../kit/sql.ts'
import { directory } from '../../operations.ts'
import type { ownAutomations } from './contract.ts'
import type { Definition } from './fields/contract.ts'
import type { Automation } from './records/contract.ts'

export type Shown = Static<typeof Automation>

/** What is kept as JSON; grants have a column of their own. */
export type KeptDefinition = Omit<Definition, 'grants'>

const counted = (status: string) => sql`count(*) filter (where e.status = ${status})::int`

const columns = (now: Date) => sql`
  m.id, m.workspace_id, m.owner_id, m.granted_by, m.name, m.description, m.enabled, m.disabled_reason, m.version,
  m.definition, m.grants, m.hook_hint,
  array(select name from jsonb_object_keys(m.hook_secret) name order by 1) as secrets_set, m.created, m.updated, ${labelsOf('automation', 'm')},
  (select min(s.next_at) from automation_schedules s where s.automation_id = m.id) as next_run_at,
  (select json_build_object('id', e.id, 'status', e.status, 'created', e.created, 'error', e.error)
    from automation_executions e where e.automation_id = m.id order by e.created desc, e.no desc limit 1) as last_execution,
  (select json_build_object('succeeded', ${counted('succeeded')}, 'failed', ${counted('failed')},
      'skipped', coalesce(sum(e.skipped_count), 0)::int)
    from automation_executions e
    where e.automation_id = m.id and e.created > ${now}::timestamptz - interval '7 days') as stats7d`

type Stored = Omit<Shown, 'hookUrl' | '_object' | keyof KeptDefinition> & {
  definition: KeptDefinition
  hookHint: string | null
}

const shownAt = (publicUrl: string) => (row: Row) => {
  const { definition, hookHint, lastExecution, ...plain } = row as unknown as Stored
  const last = lastExecution && { ...lastExecution, created: new Date(lastExecution.created).toISOString() }
  const hookUrl = hookHint && hookAddress(publicUrl, hookHint)
  return { ...plain, ...definition, lastExecution: last, hookUrl, _object: 'automation' } as unknown as Shown
}

export function hookAddress(publicUrl: string, token: string): string {
  return `${publicUrl}/v1/hooks/automations/${token}`
}

type Query = QueryOf<typeof ownAutomations, 'automations.list'>

export function pageOfAutomations(db: Db, query: Query, workspaceId: string, publicUrl: string, now: Date) {
  return listSql<Shown, Query>(db, query, {
    from: sql`automations m`,
    where: sql`m.workspace_id = ${workspaceId}`,
    select: columns(now),
    sort: { created: 'm.created', updated: 'm.updated', name: 'm.name', id: 'm.id' },
    filter: {
      id: 'm.id',
      name: 'm.name',
      enabled: { column: 'm.enabled', type: 'boolean' },
      ownerId: 'm.owner_id',
      labels: labelled('automation', 'm.id', workspaceId),
    },
    words: ['m.name', 'm.description'],
    time: { column: 'm.created', type: 'timestamptz' },
    id: 'm.id',
    neverNull: ['created', 'updated', 'name', 'id'],
    map: shownAt(publicUrl),
  })
}

export async function find(
  db: Db,
  workspaceId: string,
  id: string,
  publicUrl: string,
  now: Date,
): Promise<Shown | undefined> {
  const row = await first<Row>(
    db,
    sql`select ${columns(now)} from automations m where m.workspace_id = ${workspaceId} and m.id = ${id}`,
  )
  return row && shownAt(publicUrl)(row)
}

/** For a change; whoever changes it as well, or starts it where that must be one at a time, waits. */
export async function lock(db: Db, workspaceId: string, id: string, reach: Reach = null): Promise<boolean> {
  const rows = await db.query(sql`
    select id from automations where workspace_id = ${workspaceId} and id = ${id} and ${within(reach)} for no key update`)
  return rows.length > 0
}

/** What an execution is made with. */
export type Acting = {
  id: string
  workspaceId: string
  name: string
  enabled: boolean
  grantedBy: string | null
  version: number
  definition: KeptDefinition
  grants: Scope[]
}

const actingColumns = sql`m.id, m.workspace_id, m.name, m.enabled, m.granted_by, m.version, m.definition, m.grants`

export function acting(db: Db, id: string): Promise<Acting | undefined> {
  return first(db, sql`select ${actingColumns} from automations m where m.id = ${id}`)
}

export type New = {
  id: string
  workspaceId: string
  ownerId: string
  grantedBy: string
  name: string
  description: string | null
  enabled: boolean
  definition: KeptDefinition
  grants: readonly Scope[]
  events: readonly string[]
  people: readonly string[]
  fromSeq: number
  hookHint: string | null
  hookSecret: SealedValues
}

export async function insert(db: Db, made: New, now: Date): Promise<void> {
  const { id, workspaceId, ownerId, grantedBy, name, description, enabled, definition, grants, events, people } = made
  await db.query(sql`
    insert into automations (id, workspace_id, owner_id, granted_by, name, description, enabled, version, definition,
      grants, events, from_seq, people, hook_hint, hook_secret, created, updated)
    values (${id}, ${workspaceId}, ${ownerId}, ${grantedBy}, ${name}, ${description}, ${enabled}, 1,
      ${JSON.stringify(definition)}::json, ${grants}, ${events}, ${made.fromSeq}, ${people}, ${made.hookHint},
      ${JSON.stringify(made.hookSecret)}::jsonb, ${now}, ${now})`)
}

const changeable = [
  'name',
  'description',
  'enabled',
  'disabledReason',
  'version',
  'definition',
  'grants',
  'grantedBy',
  'events',
  'people',
  'fromSeq',
  'failures',
  'hookHint',
  'hookSecret',
  'updated',
] as const

export type Changes = Partial<Omit<New, 'id' | 'workspaceId' | 'ownerId'>> & {
  version?: number
  disabledReason?: string | null
  failures?: number
}

export async function update(db: Db, id: string, changes: Changes, now: Date): Promise<void> {
  const { definition, hookSecret, ...plain } = changes
  const set = assignments(changeable, {
    ...plain,
    definition: definition && JSON.stringify(definition),
    hookSecret: hookSecret && JSON.stringify(hookSecret),
    updated: now,
  })
  await db.query(sql`update automations set ${set} where id = ${id}`)
}

export async function remove(db: Db, workspaceId: string, id: string, reach: Reach): Promise<void> {
  const deletion = sql`
    delete from automations where workspace_id = ${workspaceId} and id = ${id} and ${within(reach)} returning *`
  await db.query(sql`${goneWith(directory, 'automation', deletion)} select id from gone`)
}

export async function countOf(db: Db, workspaceId: string): Promise<number> {
  const row = await first<{ n: number }>(
    db,
    sql`select count(*)::int as n from automations where workspace_id = ${workspaceId}`,
  )
  return row?.n ?? 0
}

// Webhooks

export async function replaceHook(db: Db, id: string, hash: string | null, now: Date): Promise<void> {
  await db.query(sql`delete from automation_hooks where automation_id = ${id}`)
  if (hash === null) return
  await db.query(sql`insert into automation_hooks (hash, automation_id, created) values (${hash}, ${id}, ${now})`)
}

export function byHook(db: Db, hash: string): Promise<(Acting & { hookSecret: SealedValues }) | undefined> {
  return first(
    db,
    sql`
    select ${actingColumns}, m.hook_secret from automation_hooks h
    join automations m on m.id = h.automation_id
    join workspaces w on w.id = m.workspace_id and w.status = 'active'
    where h.hash = ${hash}`,
  )
}

// Events

export type Listening = Acting & { events: string[]; fromSeq: number }

const listens: Sql = sql`enabled and events <> '{}'`

/** Read with every entry of the ledger, and seldom changed. */
export function listening(db: Db, workspaceId: string): Promise<Listening[]> {
  return db.query(
    cachedUntil(
      ['automations', '+automations'],
      sql`
      select ${actingColumns}, m.events, m.from_seq::float8 as from_seq from automations m
      where m.workspace_id = ${workspaceId} and m.enabled and m.events <> '{}' order by m.id`,
    ),
  )
}

/** Of these workspaces, those where anything waits for events → the number behind which they are for it. */
export async function listeningAmong(db: Db, workspaceIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await db.query<{ workspaceId: string; fromSeq: number }>(sql`
    select workspace_id, min(from_seq)::float8 as from_seq from automations
    where workspace_id = any(${workspaceIds}::text[]) and ${listens} group by workspace_id`)
  return new Map(rows.map(({ workspaceId, fromSeq }) => [workspaceId, fromSeq]))
}

// Schedules

export type Schedule = {
  automationId: string
  place: number
  workspaceId: string
  cron: string
  timezone: string
  jitterSeconds: number
  missed: 'skip' | 'run_once'
  nextAt: string | null
}

export async function setSchedules(
  db: Db,
  { id, workspaceId }: { id: string; workspaceId: string },
  schedules: readonly Omit<Schedule, 'automationId' | 'workspaceId'>[],
): Promise<void> {
  await db.query(sql`delete from automation_schedules where automation_id = ${id}`)
  if (schedules.length === 0) return
  const rows = schedules.map(({ place, cron, timezone, jitterSeconds, missed, nextAt }) => {
    return { place, cron, timezone, jitter: jitterSeconds, missed, next: nextAt }
  })
  await db.query(sql`
    insert into automation_schedules (automation_id, place, workspace_id, cron, timezone, jitter_seconds, missed, next_at)
    select ${id}, r.place, ${workspaceId}, r.cron, r.timezone, r.jitter, r.missed, r.next
    from json_to_recordset(${JSON.stringify(rows)}::json) as r (
      place int, cron text, timezone text, jitter int, missed text, next timestamptz)`)
}

/** Those that are due, held until the transaction ends; another process passes over them. */
export const dueSchedules = (now: Date, most: number) => sql`
  select s.automation_id, s.place, s.workspace_id, s.cron, s.timezone, s.jitter_seconds, s.missed, s.next_at
  from automation_schedules s where s.next_at <= ${now} order by s.next_at limit ${most}::int`

export function takeSchedules(db: Db, now: Date, most: number): Promise<Schedule[]> {
  return db.query(sql`${dueSchedules(now, most)} for update skip locked`)
}

export async function setNext(db: Db, rows: readonly Pick<Schedule, 'automationId' | 'place' | 'nextAt'>[]) {
  const next = rows.map(({ automationId, place, nextAt }) => ({ id: automationId, place, next: nextAt }))
  await db.query(sql`
    update automation_schedules s set next_at = r.next
    from json_to_recordset(${JSON.stringify(next)}::json) as r (id text, place int, next timestamptz)
    where s.automation_id = r.id and s.place = r.place`)
}
