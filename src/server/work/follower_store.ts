// SQL of the followers: where each stands in each ledger, and whose turn it is.
import type { Database, Db } from '../../kit/db.ts'
import type { FollowedEntry, Follower } from '../../kit/follow.ts'
import { sql } from '../../kit/sql.ts'

/** Longer than a process that lives keeps a chain without renewing. */
const leaseSeconds = 60
/** The row that says a follower is known; no chain has this name. */
const known = ''

/** Who is new begins behind what is there, unless it wants everything. */
export async function register(database: Database, follower: string, from: Follower['from']): Promise<void> {
  await database.transaction(async tx => {
    const added = await tx.query(sql`
      insert into ledger_followers (follower, chain, seq) values (${follower}, ${known}, 0)
      on conflict (follower, chain) do nothing returning follower`)
    if (added.length === 0 || from === 'start') return
    await tx.query(sql`
      insert into ledger_followers (follower, chain, seq) select ${follower}, chain, seq from ledger_heads
      on conflict (follower, chain) do nothing`)
  })
}

/** Alone on its database, a process that starts knows that whoever had these is gone, and need not wait for their time. */
export async function takeBack(database: Database): Promise<void> {
  await database.query(sql`update ledger_followers set lease = null, leased_until = null where lease is not null`)
}

/** Undefined while another has it, or while it rests after a failure. */
export async function take(
  db: Db,
  follower: string,
  chain: string,
  lease: string,
): Promise<{ seq: number; failures: number } | undefined> {
  const rows = await db.query<{ seq: number; failures: number }>(sql`
    insert into ledger_followers as f (follower, chain, seq, lease, leased_until)
    values (${follower}, ${chain}, 0, ${lease}, now() + make_interval(secs => ${leaseSeconds}::int))
    on conflict (follower, chain) do update set lease = excluded.lease, leased_until = excluded.leased_until
    where coalesce(f.leased_until <= now(), true) and coalesce(f.retry_at <= now(), true)
    returning f.seq, f.failures`)
  return rows[0]
}

/** False where the lease was lost meanwhile. */
export async function renew(db: Db, follower: string, chain: string, lease: string, seq: number): Promise<boolean> {
  const rows = await db.query(sql`
    update ledger_followers set seq = ${seq}, failures = 0,
      leased_until = now() + make_interval(secs => ${leaseSeconds}::int)
    where follower = ${follower} and chain = ${chain} and lease = ${lease} returning seq`)
  return rows.length > 0
}

export async function release(
  db: Db,
  follower: string,
  chain: string,
  {
    lease,
    seq,
    failures = 0,
    restMs = null,
  }: { lease: string; seq: number; failures?: number; restMs?: number | null },
): Promise<void> {
  await db.query(sql`
    update ledger_followers set seq = ${seq}, failures = ${failures}::int, lease = null, leased_until = null,
      retry_at = now() + make_interval(secs => ${restMs === null ? null : restMs / 1000}::float8)
    where follower = ${follower} and chain = ${chain} and lease = ${lease}`)
}

/** In order; of those that the pattern leaves out only the number is read. */
export async function entriesAfter(
  db: Db,
  chain: string,
  after: number,
  pattern: string,
  limit: number,
): Promise<{ seq: number; entry: FollowedEntry | null }[]> {
  const rows = await db.query<{ seq: number; entry: string | null }>(sql`
    select seq, case when action like ${likeOf(pattern)} then entry end as entry from ledger
    where chain = ${chain} and seq > ${after} order by seq limit ${limit}::int`)
  return rows.map(({ seq, entry }) => ({ seq, entry: entry === null ? null : { ...JSON.parse(entry), seq } }))
}

const scanned = 1_000

/** Chains that have grown beyond a follower's place, found in pieces so that no statement reads all of them. */
export async function* chainsBehind(
  db: Db,
  followers: readonly string[],
): AsyncGenerator<ReadonlyMap<string, string[]>> {
  for (let from = ''; ; ) {
    const rows = await db.query<{ chain: string; behind: string[] }>(sql`
      select h.chain, array(
        select n.name from unnest(${followers}::text[]) n (name)
        left join ledger_followers f on f.follower = n.name and f.chain = h.chain
        where h.seq > coalesce(f.seq, 0)
          and coalesce(f.leased_until <= now(), true) and coalesce(f.retry_at <= now(), true)) as behind
      from ledger_heads h where h.chain > ${from} order by h.chain limit ${scanned}::int`)
    const chainsOf = (name: string) => rows.filter(({ behind }) => behind.includes(name)).map(({ chain }) => chain)
    yield new Map(followers.map(name => [name, chainsOf(name)]))
    if (rows.length < scanned) return
    from = rows.at(-1)?.chain ?? ''
  }
}

function likeOf(pattern: string): string {
  return pattern.replaceAll(/[\\%_]/g, '\\$&').replace(/\*$/, '%')
}

/** Entries of these chains that it has not read; the number is the one behind which they are for it. */
export async function behindIn(db: Db, follower: string, chains: ReadonlyMap<string, number>): Promise<number> {
  const rows = await db.query<{ behind: number }>(sql`
    select coalesce(sum(h.seq - greatest(coalesce(f.seq, 0), n.since)), 0)::float8 as behind
    from unnest(${[...chains.keys()]}::text[], ${[...chains.values()]}::bigint[]) n (chain, since)
    join ledger_heads h on h.chain = n.chain
    left join ledger_followers f on f.follower = ${follower} and f.chain = n.chain
    where h.seq > greatest(coalesce(f.seq, 0), n.since)`)
  return rows[0]?.behind ?? 0
}

const metricTimeoutMs = 1_000
const mostCounted = 10_000

/** Entries that concern each follower and that it has not read; `mostCounted` where there are more. */
export async function behind(
  db: Db,
  followers: readonly Pick<Follower, 'name' | 'pattern'>[],
): Promise<Record<string, number>> {
  const [names, patterns] = [followers.map(({ name }) => name), followers.map(({ pattern }) => likeOf(pattern))]
  const asking = db.query<{ name: string; behind: number }>(sql`
    select n.name, (
      select count(*)::int from (
        select from ledger_heads h
        left join ledger_followers f on f.follower = n.name and f.chain = h.chain
        join ledger l on l.chain = h.chain and l.seq > coalesce(f.seq, 0) and l.action like n.pattern
        where h.seq > coalesce(f.seq, 0) limit ${mostCounted}::int) unread) as behind
    from unnest(${names}::text[], ${patterns}::text[]) n (name, pattern)`)
  const late = new Promise<never[]>(resolve => setTimeout(resolve, metricTimeoutMs, []).unref())
  const rows = await Promise.race([asking, late]).catch(() => [])
  return Object.fromEntries(rows.map(({ name, behind }) => [name, behind]))
}
