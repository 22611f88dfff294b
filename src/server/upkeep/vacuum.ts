// The embedded engine has no autovacuum. Without it dead rows stay for ever, and plans are made for tables as they were
// when they were empty: this does for it what PostgreSQL's own process does.
import type { Log } from '../../kit/context.ts'
import type { Database } from '../../kit/db.ts'
import { sql } from '../../kit/sql.ts'

/** As often as PostgreSQL's own process by default. */
const everyMs = 60_000

type Due = { name: string; isDead: boolean }

/** PostgreSQL's own measure: a tenth of the rows changed makes statistics stale, a fifth of them dead a vacuum due. */
const due = sql`
  select format('%I.%I', s.schemaname, s.relname) as name,
    s.n_dead_tup > 50 + 0.2 * greatest(c.reltuples, 0) or s.n_ins_since_vacuum > 1000 + 0.2 * greatest(c.reltuples, 0)
      as is_dead
  from pg_stat_user_tables s join pg_class c on c.oid = s.relid
  where s.n_mod_since_analyze > 50 + 0.1 * greatest(c.reltuples, 0)
    or s.n_dead_tup > 50 + 0.2 * greatest(c.reltuples, 0)
    or c.reltuples < 0 and pg_relation_size(c.oid) > 65536
  order by s.n_mod_since_analyze desc`

/** One look in every minute in which something was written, and none otherwise. */
export function startVacuum(database: Database, log: Log): { stop(): Promise<void> } {
  let isChanged = false
  let isOver = false
  let looking: Promise<void> = Promise.resolve()
  database.onCommit(() => {
    isChanged = true
  })
  const timer = setInterval(() => {
    if (!isChanged) return
    isChanged = false
    looking = looking.then(vacuum).catch(failed('the tables to vacuum could not be found'))
  }, everyMs).unref()

  function failed(what: string) {
    return (error: unknown) => log.warn({ err: error }, `${what}; it is tried again a minute after the next write`)
  }

  /** A table at a time, so that nobody waits for more than one; what fails on one keeps no other from its turn. */
  async function vacuum(): Promise<void> {
    for (const { name, isDead } of await database.query<Due>(due)) {
      if (isOver) return
      const text = isDead ? `vacuum (analyze) ${name}` : `analyze ${name}`
      await database.plain(text).catch(failed(`${name} could not be vacuumed`))
    }
  }

  return {
    stop() {
      isOver = true
      clearInterval(timer)
      return looking
    },
  }
}
