// Ratings of records as SQL: how many are good and bad, and what one rater said.
import type { Caller } from './context.ts'
import { raw, type Sql, sql } from './sql.ts'

/** Who rates: a person by whatever they are signed in with, otherwise the key, client or run itself. */
export function raterOf({ credential, userId, credentialId }: Pick<Caller, 'credential' | 'userId' | 'credentialId'>) {
  return (credential === 'session' || credential === 'oauth' ? userId : null) ?? credentialId
}

/** What ratings make of a record's rank: from half, where all found it bad, to twice. */
export function ratingWeight(object: string, alias: string): Sql {
  const t = raw(alias)
  return sql`
    (select least(2, greatest(0.5, (1 + count(*) filter (where said.value = 1))::float8
        / (1 + count(*) filter (where said.value = -1)))) from ratings said
      where said.workspace_id = ${t}.workspace_id and said.object = ${raw(`'${object}'`)} and said.record_id = ${t}.id)`
}

/** `… as rating`, for the select list of a kind whose rows are under this alias; with `mine` for a rater, or for nobody. `during` tells which of the ratings `said` count. */
export function ratingOf(
  object: string,
  alias: string,
  { key = 'id', rater, during = sql`true` }: { key?: string; rater?: string | null; during?: Sql } = {},
): Sql {
  const t = raw(alias)
  const mine = rater === undefined ? sql`` : sql`, 'mine', max(said.value) filter (where said.rater = ${rater}::text)`
  return sql`
    (select jsonb_build_object('up', count(*) filter (where said.value = 1),
        'down', count(*) filter (where said.value = -1)${mine}) from ratings said
      where said.workspace_id = ${t}.workspace_id and said.object = ${raw(`'${object}'`)}
        and said.record_id = ${t}.${raw(key)} and ${during}) as rating`
}
