// SQL of integrations themselves: what they are set up with, their secrets and how they are doing.
import type { Static } from 'typebox'
import type { QueryOf } from '../../contract/list.ts'
import { type Db, first, type Row } from '../../kit/db.ts'
import { listSql } from '../../kit/list_sql.ts'
import { goneWith } from '../../kit/removal.ts'
import type { SealedValues } from '../../kit/sealed.ts'
import { assignments, cachedUntil, type Sql, sql } from '../../kit/sql.ts'
import { directory } from '../../operations.ts'
import type { integrations } from './contract.ts'
import type { Integration } from './fields/contract.ts'

export type Shown = Static<typeof Integration>

/** Names of secrets that nobody has set: they are ours. */
const hidden = ['previousSecret']

const columns = sql`
  i.id, i.workspace_id, i.owner_id, i.slug, i.name, i.type, i.config,
  array(select name from jsonb_object_keys(i.secrets) name where name <> all(${hidden}::text[]) order by 1) as secrets_set,
  i.events, i.scopes, i.granted_by, i.status, h.consecutive_failures, h.last_success_at, h.last_failure_at, h.last_error,
  i.inbound_hint, i.created, i.updated`

const joined = (integrations: Sql) => sql`${integrations} i join integration_health h on h.integration_id = i.id`

function shownAt(publicUrl: string): (row: Row) => Shown {
  return row => {
    const { inboundHint, ...plain } = row as Omit<Shown, 'inboundUrl' | '_object'> & { inboundHint: string | null }
    return { ...plain, inboundUrl: inboundHint && inboundAddress(publicUrl, inboundHint), _object: 'integration' }
  }
}

export function inboundAddress(publicUrl: string, token: string): string {
  return `${publicUrl}/v1/hooks/in/${token}`
}

type Query = QueryOf<typeof integrations, 'integrations.list'>

export function pageOfIntegrations(db: Db, query: Query, workspaceId: string, publicUrl: string) {
  return listSql<Shown, Query>(db, query, {
    from: joined(sql`integrations`),
    where: sql`i.workspace_id = ${workspaceId}`,
    select: columns,
    sort: { created: 'i.created', updated: 'i.updated', name: 'i.name', id: 'i.id' },
    filter: { id: 'i.id', name: 'i.name', type: 'i.type', status: 'i.status', ownerId: 'i.owner_id' },
    words: ['i.name'],
    id: 'i.id',
    neverNull: ['created', 'updated', 'name', 'id'],
    map: shownAt(publicUrl),
  })
}

async function one(db: Db, statement: Sql, publicUrl: string): Promise<Shown | undefined> {
  const row = await first<Row>(db, statement)
  return row && shownAt(publicUrl)(row)
}

export function find(db: Db, workspaceId: string, id: string, publicUrl: string): Promise<Shown | undefined> {
  return one(
    db,
    sql`select ${columns} from ${joined(sql`integrations`)} where i.workspace_id = ${workspaceId} and i.id = ${id}`,
    publicUrl,
  )
}

/** Nobody else changes it meanwhile; what is sent to it is counted all the same. */
export async function findForUpdate(
  db: Db,
  workspaceId: string,
  id: string,
  publicUrl: string,
): Promise<Shown | undefined> {
  const locked = sql`select ${columns} from ${joined(sql`integrations`)}
    where i.workspace_id = ${workspaceId} and i.id = ${id} for no key update of i`
  return await one(db, locked, publicUrl)
}

/** What a call is made with; its secrets are still sealed. */
export type Connection = Pick<
  Shown,
  'id' | 'workspaceId' | 'ownerId' | 'slug' | 'name' | 'type' | 'config' | 'status'
> & {
  secrets: SealedValues
  oldSecretUntil: string | null
}

const connectionColumns = sql`
  i.id, i.workspace_id, i.owner_id, i.slug, i.name, i.type, i.config, i.status, i.secrets, i.old_secret_until`

export function connection(db: Db, workspaceId: string, id: string): Promise<Connection | undefined> {
  return first(
    db,
    sql`select ${connectionColumns} from integrations i where i.workspace_id = ${workspaceId} and i.id = ${id}`,
  )
}

export function countOf(db: Db, workspaceId: string): Promise<number> {
  return first<{ n: number }>(
    db,
    sql`select count(*)::int as n from integrations where workspace_id = ${workspaceId}`,
  ).then(row => row?.n ?? 0)
}

type New = Pick<
  Shown,
  'id' | 'workspaceId' | 'ownerId' | 'name' | 'type' | 'config' | 'events' | 'scopes' | 'grantedBy'
> & {
  slug: string
  secrets: SealedValues
  fromSeq: number
  inboundHint: string | null
}

/** Undefined where the slug is taken. */
export async function insert(db: Db, made: New, publicUrl: string, now: Date): Promise<Shown | undefined> {
  const {
    id,
    workspaceId,
    ownerId,
    slug,
    name,
    type,
    config,
    secrets,
    events,
    scopes,
    grantedBy,
    fromSeq,
    inboundHint,
  } = made
  const inserted = await db.query(sql`
    insert into integrations (id, workspace_id, owner_id, slug, name, type, config, secrets, events, scopes, granted_by,
      status, from_seq, inbound_hint, created, updated)
    values (${id}, ${workspaceId}, ${ownerId}, ${slug}, ${name}, ${type}, ${JSON.stringify(config)}::jsonb,
      ${JSON.stringify(secrets)}::jsonb, ${events}, ${scopes}, ${grantedBy}, 'active', ${fromSeq}, ${inboundHint}, ${now}, ${now})
    on conflict (workspace_id, slug) do nothing returning id`)
  if (inserted.length === 0) return undefined
  await db.query(sql`insert into integration_health (integration_id) values (${id})`)
  return await find(db, workspaceId, id, publicUrl)
}

const changeable = [
  'name',
  'config',
  'secrets',
  'events',
  'scopes',
  'grantedBy',
  'status',
  'fromSeq',
  'oldSecretUntil',
  'inboundHint',
  'updated',
] as const

export type Changes = Partial<Pick<Shown, 'name' | 'config' | 'events' | 'scopes' | 'grantedBy' | 'status'>> & {
  secrets?: SealedValues | undefined
  fromSeq?: number
  oldSecretUntil?: Date | null
  inboundHint?: string
}

export async function update(db: Db, id: string, { config, secrets, ...plain }: Changes, now: Date): Promise<void> {
  const set = assignments(changeable, {
    ...plain,
    config: config && JSON.stringify(config),
    secrets: secrets && JSON.stringify(secrets),
    updated: now,
  })
  await db.query(sql`update integrations set ${set} where id = ${id}`)
}

/** As for API keys: without an overlap the old tokens are gone, not timed, since clocks of processes may differ. */
export async function replaceToken(db: Db, id: string, hash: string, oldUntil: Date | null, now: Date): Promise<void> {
  await db.query(sql`
    delete from integration_tokens where integration_id = ${id} and (until <= ${now} or ${oldUntil}::timestamptz is null)`)
  await db.query(sql`
    update integration_tokens set until = ${oldUntil} where integration_id = ${id} and (until is null or until > ${oldUntil})`)
  await db.query(sql`
    insert into integration_tokens (hash, integration_id, created) values (${hash}, ${id}, ${now})`)
}

/** Of a token that works now, in a workspace that is alive. */
export function connectionOfToken(db: Db, hash: string, now: Date): Promise<Connection | undefined> {
  return first(
    db,
    sql`
    select ${connectionColumns} from integration_tokens t
    join integrations i on i.id = t.integration_id
    join workspaces w on w.id = i.workspace_id and w.status = 'active'
    where t.hash = ${hash} and (t.until is null or t.until > ${now})`,
  )
}

export async function remove(db: Db, workspaceId: string, id: string): Promise<void> {
  const deletion = sql`delete from integrations i where i.workspace_id = ${workspaceId} and i.id = ${id} returning *`
  await db.query(sql`${goneWith(directory, 'integration', deletion)} select id from gone`)
}

/** Those that are sent events now, with what decides which. */
export type Listening = Pick<
  Shown,
  'id' | 'workspaceId' | 'grantedBy' | 'name' | 'type' | 'config' | 'events' | 'scopes'
> & {
  fromSeq: number
}

const listens = sql`status in ('active', 'failing') and events <> '{}'`

export async function listening(db: Db, workspaceId: string): Promise<readonly Listening[]> {
  return await db.query(
    cachedUntil(
      ['integrations', '+integrations'],
      sql`
      select id, workspace_id, granted_by, name, type, config, events, scopes, from_seq::float8 as from_seq
      from integrations where workspace_id = ${workspaceId} and ${listens}`,
    ),
  )
}

/** Of these workspaces, those that have somebody to send to → the number behind which events are for them. */
export async function listeningAmong(db: Db, workspaceIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await db.query<{ workspaceId: string; fromSeq: number }>(sql`
    select workspace_id, min(from_seq)::float8 as from_seq from integrations
    where workspace_id = any(${workspaceIds}::text[]) and ${listens} group by workspace_id`)
  return new Map(rows.map(({ workspaceId, fromSeq }) => [workspaceId, fromSeq]))
}

export function listeningById(db: Db, id: string): Promise<(Listening & { status: Shown['status'] }) | undefined> {
  return first(
    db,
    sql`
    select id, workspace_id, granted_by, name, type, config, events, scopes, status, from_seq::float8 as from_seq
    from integrations where id = ${id}`,
  )
}
