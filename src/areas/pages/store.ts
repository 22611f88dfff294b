// SQL of pages. Other areas publish through `preparePage`, before their transaction, and `publish` in it.
import type { Static } from 'typebox'
import type { QueryOf } from '../../contract/list.ts'
import type { Caller, Context } from '../../kit/context.ts'
import { type Db, first } from '../../kit/db.ts'
import { listSql } from '../../kit/list_sql.ts'
import { found } from '../../kit/outcomes.ts'
import { type Reach, within } from '../../kit/owned.ts'
import { ratingOf } from '../../kit/rating_sql.ts'
import { type Sql, sql } from '../../kit/sql.ts'
import type { Page, pages } from './contract.ts'
import type { Prepared } from './publishing.ts'

export { preparePage } from './publishing.ts'

export type PageRow = Static<typeof Page>

const purgeDays = 30

function columnsAt(publicUrl: string): Sql {
  return sql`
    g.id, g.workspace_id, g.owner_id, g.kind, g.title,
    (select jsonb_build_object('object', s.object, 'id', s.record_id) from page_sources s where s.page_id = g.id limit 1) as source,
    ${publicUrl} || '/p/' || g.id as url, g.visibility, g.sha256, g.bytes, g.redactions, g.expires_at,
    coalesce(v.views, 0) as views, v.last_viewed_at, coalesce(g.created_user_id, g.created_team_id) as created_by,
    g.deleted, coalesce(g.deleted_user_id, g.deleted_team_id) as deleted_by, ${ratingOf('page', 'g')},
    g.created, g.updated, 'page' as _object`
}

const tables = sql`pages g left join page_views v on v.page_id = g.id`

type Query = QueryOf<typeof pages, 'pages.list'>

export function pageOfPages(db: Db, query: Query, workspaceId: string, publicUrl: string) {
  return listSql<PageRow, Query>(db, query, {
    from: tables,
    where: sql`g.workspace_id = ${workspaceId}`,
    select: columnsAt(publicUrl),
    sort: { created: 'g.created', updated: 'g.updated', title: 'g.title', id: 'g.id' },
    filter: {
      id: 'g.id',
      kind: 'g.kind',
      visibility: 'g.visibility',
      ownerId: 'g.owner_id',
      createdBy: { matches: ids => sql`coalesce(g.created_user_id, g.created_team_id) = any(${ids}::text[])` },
      source: {
        matches: words => sql`g.id in (
          select s.page_id from page_sources s where s.workspace_id = ${workspaceId} and (s.object, s.record_id) in (
            select split_part(word, ':', 1), split_part(word, ':', 2) from unnest(${words}::text[]) word))`,
      },
      title: 'g.title',
    },
    words: ['g.title'],
    time: { column: 'g.created', type: 'timestamptz' },
    id: 'g.id',
    neverNull: ['created', 'updated', 'title', 'id'],
  })
}

export function find(db: Db, workspaceId: string, id: string, publicUrl: string, reach: Reach = null) {
  return first<PageRow>(
    db,
    sql`
    select ${columnsAt(publicUrl)} from ${tables}
    where g.workspace_id = ${workspaceId} and g.id = ${id} and ${within(reach, 'g.owner_id')}`,
  )
}

export type Content = {
  number: number
  workspaceId: string
  workspaceStatus: string
  visibility: PageRow['visibility']
  sha256: string
  isOver: boolean
  content: string | null
}

const formats = { html: sql`c.html`, md: sql`c.markdown`, json: sql`c.json` }

/** As it is at this moment, on whichever process: nothing of it is remembered. */
export function contentOf(db: Db, id: string, format: keyof typeof formats, now: Date): Promise<Content | undefined> {
  return first(
    db,
    sql`
    select g.number, g.workspace_id, w.status as workspace_status, g.visibility, g.sha256,
      coalesce(g.hidden_from <= ${now}, false) as is_over, ${formats[format]} as content
    from pages g join workspaces w on w.id = g.workspace_id left join page_contents c on c.page_id = g.id
    where g.id = ${id}`,
  )
}

type Publishing = Pick<Context, 'db' | 'settings' | 'now' | 'note'> & { caller: Caller }

/** With its source held, so that this does not end meanwhile. */
export async function publish({ db, caller, settings, now, note }: Publishing, prepared: Prepared): Promise<PageRow> {
  await insert(db, prepared, caller.ownerId, now())
  const { workspaceId, id } = prepared.page
  const page = await found(find(db, workspaceId, id, settings.publicUrl), 'page')
  const { title, visibility, expiresAt, redactions, sha256 } = page
  // The id opens the page: it stands in no text of the ledger.
  note({ target: { object: 'page', id }, after: { title, visibility, expiresAt, redactions, sha256 } })
  return page
}

async function insert(db: Db, { page, rendered }: Prepared, ownerId: string, now: Date): Promise<void> {
  const { id, workspaceId, kind, visibility, source, ttlDays } = page
  const expiresAt = ttlDays === null ? null : laterBy(now, ttlDays)
  const { title, sha256, bytes, redactions, html, markdown, json } = rendered
  const { userId, teamId } = peopleOf(ownerId)
  await db.query(sql`
    insert into pages (id, workspace_id, owner_id, kind, title, visibility, sha256, bytes, redactions, expires_at,
      created_user_id, created_team_id, created, updated)
    values (${id}, ${workspaceId}, ${ownerId}, ${kind}, ${title}, ${visibility}, ${sha256}, ${bytes}, ${redactions},
      ${expiresAt}, ${userId}, ${teamId}, ${now}, ${now})`)
  await db.query(sql`
    insert into page_contents (page_id, html, markdown, json, purge_at)
    values (${id}, ${html}, ${markdown}, ${json}, ${expiresAt && laterBy(expiresAt, purgeDays)})`)
  if (!source) return
  await db.query(sql`
    insert into page_sources (page_id, workspace_id, object, record_id)
    values (${id}, ${workspaceId}, ${source.object}, ${source.id})`)
}

/** From the next request on nobody reads it; false where it is not the caller's, or revoked already. */
export async function revoke(
  db: Db,
  workspaceId: string,
  id: string,
  reach: Reach,
  by: string,
  now: Date,
): Promise<boolean> {
  const { userId, teamId } = peopleOf(by)
  const revoked = await db.query(sql`
    update pages g set deleted = ${now}, deleted_user_id = ${userId}, deleted_team_id = ${teamId}, updated = ${now}
    where g.workspace_id = ${workspaceId} and g.id = ${id} and g.deleted is null and ${within(reach, 'g.owner_id')}
    returning g.id`)
  if (revoked.length === 0) return false
  await db.query(sql`
    update page_contents set purge_at = least(purge_at, ${laterBy(now, purgeDays)}::timestamptz) where page_id = ${id}`)
  return true
}

export async function countView(db: Db, number: number, now: Date): Promise<void> {
  await db.query(sql`
    insert into page_views (page_id, views, last_viewed_at) select g.id, 1, ${now} from pages g where g.number = ${number}
    on conflict (page_id) do update set views = page_views.views + 1,
      last_viewed_at = greatest(page_views.last_viewed_at, excluded.last_viewed_at)`)
}

function peopleOf(ownerId: string): { userId: string | null; teamId: string | null } {
  return {
    userId: ownerId.startsWith('usr_') ? ownerId : null,
    teamId: ownerId.startsWith('team_') ? ownerId : null,
  }
}

function laterBy(date: Date, days: number): Date {
  return new Date(date.getTime() + days * 86_400_000)
}

export async function hashAgain(db: Db, workspaceId: string): Promise<void> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const rows: { id: string }[] = await db.query<{ id: string }>(sql`
      with these as materialized (
        select id from pages where workspace_id = ${workspaceId} and id > ${after} order by id limit ${hashedAtOnce}::int
      ), hashed as (
        update pages g set sha256 = h.sha256 from (
          select c.page_id, encode(sha256(convert_to(c.html, 'UTF8')), 'hex') as sha256
          from page_contents c join these s on s.id = c.page_id) h
        where g.id = h.page_id and g.workspace_id = ${workspaceId} and g.sha256 <> h.sha256)
      select id from these order by id desc limit 1`)
    after = rows[0]?.id
  }
}

/** Pages may be large, and nobody shall wait long. */
const hashedAtOnce = 10
