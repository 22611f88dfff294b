// SQL of a workspace's embeddings endpoint: what its settings say, and how it fares.
import { type Db, first } from '../../../kit/db.ts'
import type { EmbeddingsEndpoint } from '../../../kit/embeddings.ts'
import { openValues, type SealedValues } from '../../../kit/sealed.ts'
import type { Settings } from '../../../kit/settings.ts'
import { cachedUntil, type Sql, sql } from '../../../kit/sql.ts'
import { secretsColumn } from '../agent/store.ts'
import type { EmbeddingsSettings } from './contract.ts'

/** As long as nobody has said otherwise. */
export const defaultEmbeddings: EmbeddingsSettings = { baseUrl: null, model: null, threshold: 0.4 }

/** By this name the key of the endpoint is kept. */
export const embeddingsKey = 'embeddings.key'

export type EmbeddingsSetup = { endpoint: EmbeddingsEndpoint; threshold: number }

/** Null where none is named; undefined where the workspace is about to end. */
export async function findEmbeddings(
  { db, settings }: { db: Db; settings: Settings },
  workspaceId: string,
): Promise<EmbeddingsSetup | null | undefined> {
  // Asked by every search: answered from memory where nobody else can have changed it.
  const row = await first<{ embeddings: Partial<EmbeddingsSettings> | null; secrets: SealedValues }>(
    db,
    cachedUntil(
      ['workspaces'],
      sql`select settings->'embeddings' as embeddings, secrets from workspaces
        where id = ${workspaceId} and status = 'active'`,
    ),
  )
  if (!row) return undefined
  const { baseUrl, model, threshold } = { ...defaultEmbeddings, ...row.embeddings }
  if (baseUrl === null || model === null) return null
  const values = openValues(settings, secretsColumn, workspaceId, row.secrets)
  return { endpoint: { baseUrl, model, key: values[embeddingsKey] ?? null }, threshold }
}

/** Inside a statement of whoever has texts to be embedded, which need not ask twice. */
export function hasEmbeddings(workspaceId: string): Sql {
  return sql`(select settings->'embeddings'->>'baseUrl' is not null from workspaces where id = ${workspaceId})`
}

export type Fault = { lastError: string; lastErrorAt: string; failures: number; retryAt: string }

export function findFault(db: Db, workspaceId: string): Promise<Fault | undefined> {
  return first(
    db,
    sql`
    select last_error, last_error_at, failures, retry_at from workspace_embeddings where workspace_id = ${workspaceId}`,
  )
}

/** Of a search: work that waits for the endpoint has its own tries, and is not put off. */
export async function noteFailedSearch(db: Db, workspaceId: string, error: string, now: Date): Promise<void> {
  await db.query(sql`
    insert into workspace_embeddings (workspace_id, last_error, last_error_at, failures, retry_at)
    select id, ${error}, ${now}::timestamptz, 0, ${now}::timestamptz from workspaces where id = ${workspaceId}
    on conflict (workspace_id) do update set last_error = excluded.last_error, last_error_at = excluded.last_error_at`)
}

export async function clearFault(db: Db, workspaceId: string): Promise<void> {
  await db.query(sql`delete from workspace_embeddings where workspace_id = ${workspaceId}`)
}

const firstWaitSeconds = 10
const longestWaitSeconds = 3_600

/** Returns when to try again, in seconds; nothing is noted of a workspace that is gone. */
export async function noteFault(db: Db, workspaceId: string, error: string, now: Date): Promise<number> {
  const wait = (failures: Sql) =>
    sql`least(${longestWaitSeconds}::int, ${firstWaitSeconds}::int * power(2, least(${failures}, 12)))::int`
  const known = sql`(workspace_embeddings.failures)`
  const row = await first<{ seconds: number }>(
    db,
    sql`
    insert into workspace_embeddings (workspace_id, last_error, last_error_at, failures, retry_at)
    select id, ${error}, ${now}::timestamptz, 1, ${now}::timestamptz + make_interval(secs => ${wait(sql`0`)})
    from workspaces where id = ${workspaceId}
    on conflict (workspace_id) do update set last_error = excluded.last_error, last_error_at = excluded.last_error_at,
      failures = ${known} + 1,
      retry_at = ${now}::timestamptz + make_interval(secs => ${wait(known)})
    returning ceil(extract(epoch from retry_at - ${now}::timestamptz))::int as seconds`,
  )
  return row?.seconds ?? longestWaitSeconds
}
