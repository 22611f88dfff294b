// SQL of autofixes and their approvals.
import type { Static } from 'typebox'
import type { QueryOf } from '../../contract/list.ts'
import { type Db, first } from '../../kit/db.ts'
import { labelled, labelsOf } from '../../kit/label_sql.ts'
import { listSql } from '../../kit/list_sql.ts'
import { type Reach, within } from '../../kit/owned.ts'
import { ratingOf } from '../../kit/rating_sql.ts'
import { goneWith } from '../../kit/removal.ts'
import { assignments, sql } from '../../kit/sql.ts'
import { directory } from '../../operations.ts'
import { requiredApprovals } from '../workspaces/autofix/store.ts'
import type { autofixes } from './contract.ts'
import { type Autofix, openStatuses } from './fields/contract.ts'

export type AutofixRow = Static<typeof Autofix>

/** What makes a commit the same one again. */
export type CommitParts = {
  parent: string
  /** Null where nobody is left to name. */
  authorId: string | null
  at: string
  message: string
}

const columns = sql`
  f.id, f.workspace_id, f.owner_id, f.title, f.description, f.repository_id, f.base_ref, f.base_sha, f.patch_sha256,
  f.files, f.origin, f.issue_id, f.thread_id, f.status, f.checked as "check",
  coalesce((select jsonb_agg(jsonb_build_object('userId', a.user_id, 'at', a.at) order by a.at, a.user_id)
    from autofix_approvals a where a.autofix_id = f.id), '[]') as approvals,
  ${requiredApprovals(sql`f.workspace_id`)} as required_approvals,
  f.branch, f.commit_sha, f.pushed_at, f.pull_request_url, f.merged_sha, f.close_reason, f.close_note,
  ${labelsOf('autofix', 'f')}, ${ratingOf('autofix', 'f')}, f.created, f.updated, 'autofix' as _object`

type Query = QueryOf<typeof autofixes, 'autofixes.list'>

export function pageOfAutofixes(db: Db, query: Query, workspaceId: string) {
  return listSql<AutofixRow, Query>(db, query, {
    from: sql`autofixes f`,
    where: sql`f.workspace_id = ${workspaceId}`,
    select: columns,
    sort: { created: 'f.created', updated: 'f.updated', title: 'f.title', status: 'f.status', id: 'f.id' },
    filter: {
      id: 'f.id',
      status: 'f.status',
      checkState: 'f.check_state',
      repositoryId: 'f.repository_id',
      issueId: 'f.issue_id',
      threadId: 'f.thread_id',
      origin: 'f.origin',
      ownerId: 'f.owner_id',
      labels: labelled('autofix', 'f.id', workspaceId),
    },
    words: ['f.title', 'f.description'],
    time: { column: 'f.created', type: 'timestamptz' },
    id: 'f.id',
    neverNull: ['created', 'updated', 'title', 'status', 'id'],
  })
}

export function find(db: Db, workspaceId: string, id: string, reach: Reach = null): Promise<AutofixRow | undefined> {
  return first(
    db,
    sql`
    select ${columns} from autofixes f
    where f.workspace_id = ${workspaceId} and f.id = ${id} and ${within(reach, 'f.owner_id')}`,
  )
}

/** What is never shown, beside the record. */
export type Inner = {
  patch: string
  patchMark: string | null
  runId: string | null
  runThreadId: string | null
  commitParts: CommitParts | null
}

export function findInner(db: Db, workspaceId: string, id: string): Promise<Inner | undefined> {
  return first(
    db,
    sql`
    select patch, patch_mark, run_id, run_thread_id,
      commit_parts || jsonb_build_object('authorId', commit_author_id) as commit_parts from autofixes
    where workspace_id = ${workspaceId} and id = ${id}`,
  )
}

/** For a change; whoever changes it as well waits. */
export async function lock(db: Db, workspaceId: string, id: string): Promise<void> {
  await db.query(sql`select id from autofixes where workspace_id = ${workspaceId} and id = ${id} for update`)
}

export type Checked = Pick<AutofixRow, 'files' | 'check'> & { patchMark: string | null }

export type NewAutofix = Pick<
  AutofixRow,
  'id' | 'workspaceId' | 'ownerId' | 'title' | 'description' | 'repositoryId' | 'baseRef' | 'baseSha' | 'patchSha256'
> &
  Pick<AutofixRow, 'origin' | 'issueId' | 'threadId' | 'status'> &
  Checked &
  Pick<Inner, 'patch' | 'runId' | 'runThreadId'>

export async function insert(db: Db, one: NewAutofix, now: Date): Promise<void> {
  await db.query(sql`
    insert into autofixes (id, workspace_id, owner_id, title, description, repository_id, base_ref, base_sha, patch,
      patch_sha256, patch_mark, files, origin, issue_id, thread_id, run_id, run_thread_id, status, check_state, checked,
      created, updated)
    values (${one.id}, ${one.workspaceId}, ${one.ownerId}, ${one.title}, ${one.description}, ${one.repositoryId},
      ${one.baseRef}, ${one.baseSha}, ${one.patch}, ${one.patchSha256}, ${one.patchMark},
      ${JSON.stringify(one.files)}::jsonb, ${one.origin}, ${one.issueId}, ${one.threadId}, ${one.runId},
      ${one.runThreadId}, ${one.status}, ${one.check.state}, ${JSON.stringify(one.check)}::jsonb, ${now}, ${now})`)
}

const changeable = [
  'title',
  'description',
  'baseRef',
  'baseSha',
  'patch',
  'patchSha256',
  'issueId',
  'status',
  'branch',
  'commitSha',
  'pushedAt',
  'pullRequestUrl',
  'mergedSha',
  'closeReason',
  'closeNote',
  'updated',
] as const

export type Changes = { [K in (typeof changeable)[number]]?: unknown }

export async function update(db: Db, id: string, fields: Changes & { updated: Date }): Promise<void> {
  await db.query(sql`update autofixes set ${assignments(changeable, fields)} where id = ${id}`)
}

/** Who made it stands in a column of its own, which is emptied when they go. */
export async function keepCommitParts(db: Db, id: string, { authorId, ...parts }: CommitParts): Promise<void> {
  await db.query(sql`
    update autofixes set commit_parts = ${JSON.stringify(parts)}::jsonb, commit_author_id = ${authorId} where id = ${id}`)
}

/** Says nothing of `updated`: a check changes what is known, not what was proposed. */
export async function keepCheck(db: Db, id: string, { files, check, patchMark }: Checked): Promise<void> {
  await db.query(sql`
    update autofixes set files = ${JSON.stringify(files)}::jsonb, check_state = ${check.state},
      checked = ${JSON.stringify(check)}::jsonb, patch_mark = ${patchMark} where id = ${id}`)
}

export async function approve(db: Db, workspaceId: string, id: string, userId: string, now: Date): Promise<void> {
  await db.query(sql`
    insert into autofix_approvals (workspace_id, autofix_id, user_id, at) values (${workspaceId}, ${id}, ${userId}, ${now})
    on conflict do nothing`)
}

export async function dropApprovals(db: Db, id: string): Promise<void> {
  await db.query(sql`delete from autofix_approvals where autofix_id = ${id}`)
}

/** Those of a thread for a repository that a newer one stands in for; what people approved stays. */
export async function supersede(
  db: Db,
  workspaceId: string,
  { repositoryId, runThreadId, id }: { repositoryId: string; runThreadId: string; id: string },
  now: Date,
): Promise<void> {
  await db.query(sql`
    update autofixes set status = 'superseded', close_reason = 'superseded', updated = ${now} where id in (
      select f.id from autofixes f
      where f.workspace_id = ${workspaceId} and f.run_thread_id = ${runThreadId} and f.repository_id = ${repositoryId}
        and f.id <> ${id} and f.status in ('draft', 'proposed')
      order by f.id for update)`)
}

export async function countOpen(db: Db, workspaceId: string, repositoryId: string): Promise<number> {
  const row = await first<{ count: number }>(
    db,
    sql`
    select count(*)::int as count from autofixes
    where workspace_id = ${workspaceId} and repository_id = ${repositoryId} and status = any(${[...openStatuses]}::text[])`,
  )
  return row?.count ?? 0
}

/** Those that a sync of the repository says something new of, the oldest check first. */
export async function unsettled(
  db: Db,
  workspaceId: string,
  repositoryId: string,
  { after, most }: { after: string; most: number },
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select f.id from autofixes f
    where f.workspace_id = ${workspaceId} and f.repository_id = ${repositoryId}
      and f.status = any(${[...openStatuses, 'applied']}::text[]) and f.id > ${after}
    order by f.id limit ${most}::int`)
  return rows.map(({ id }) => id)
}

/** Those that one pull request was made for. */
export async function askedForBy(db: Db, workspaceId: string, pullRequestUrl: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select f.id from autofixes f
    where f.workspace_id = ${workspaceId} and f.pull_request_url = ${pullRequestUrl} and f.status = 'applied' order by f.id`)
  return rows.map(({ id }) => id)
}

export async function remove(db: Db, workspaceId: string, id: string, reach: Reach): Promise<void> {
  const deletion = sql`
    delete from autofixes where workspace_id = ${workspaceId} and id = ${id} and ${within(reach)} returning *`
  await db.query(sql`${goneWith(directory, 'autofix', deletion)} select from gone`)
}

/** What figures are made of: how these stand. */
export function standingOf(db: Db, workspaceId: string, ids: readonly string[]) {
  return db.query<Pick<AutofixRow, 'id' | 'status' | 'repositoryId' | 'origin' | 'closeReason'>>(sql`
    select a.id, a.status, a.repository_id, a.origin, a.close_reason from autofixes a
    where a.workspace_id = ${workspaceId} and a.id = any(${ids}::text[])`)
}

export async function hashAgain(db: Db, workspaceId: string): Promise<void> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const rows: { id: string }[] = await db.query<{ id: string }>(sql`
      with these as materialized (
        select id from autofixes where workspace_id = ${workspaceId} and id > ${after}
        order by id limit ${hashedAtOnce}::int
      ), hashed as (
        update autofixes a set patch_sha256 = encode(sha256(convert_to(a.patch, 'UTF8')), 'hex') from these s
        where a.id = s.id and a.patch_sha256 <> encode(sha256(convert_to(a.patch, 'UTF8')), 'hex'))
      select id from these order by id desc limit 1`)
    after = rows[0]?.id
  }
}

/** Patches may be large, and nobody shall wait long. */
const hashedAtOnce = 20
