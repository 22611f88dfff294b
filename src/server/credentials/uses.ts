// When credentials were last used: gathered in memory, written in batches, never on the path of a request.
import type { Scope } from '../../contract/scopes.ts'
import type { Caller, Log } from '../../kit/context.ts'
import type { Database } from '../../kit/db.ts'
import { sql } from '../../kit/sql.ts'

export type Uses = {
  /** A credential came in, whatever it may do. */
  saw(caller: Caller): void
  /** It was let through, by these scopes. */
  used(caller: Caller, scopes: readonly Scope[]): void
  flush(): Promise<void>
  stop(): Promise<void>
}

/** At most one write per key, and per member, in this time. */
const flushMs = 60_000
/** Whoever has just tried a new key wants to see that it was used. */
const firstUseMs = 3_000
const sessionGapMs = 3_600_000

type Kind = 'keys' | 'grants'
const kinds: readonly Kind[] = ['keys', 'grants']

/** Milliseconds: text is made of them when they are written. */
type KeyUse = { at: number; scopes: Map<string, number>; isLate?: true }

export function gatherUses(database: Database, now: () => Date, log: Log): Uses {
  const used: Record<Kind, Map<string, KeyUse>> = { keys: new Map(), grants: new Map() }
  let sessions = new Map<string, number>()
  /** Workspace → user → when. */
  let members = new Map<string, Map<string, number>>()
  /** Session → when its use was last written: at most hourly. */
  const written = new Map<string, number>()

  /** Keys and grants that were never used before: theirs are written soon. */
  let fresh: ReturnType<typeof setTimeout> | undefined
  const unused = new Set<string>()
  const writeSoon = (id: string) => {
    unused.add(id)
    fresh ??= setTimeout(() => flushUnused().catch(failed), firstUseMs).unref()
  }

  async function flushUnused(): Promise<void> {
    fresh = undefined
    const ids = [...unused]
    unused.clear()
    for (const kind of kinds) {
      const first = new Map<string, KeyUse>()
      for (const id of ids) {
        const use = used[kind].get(id)
        if (use) first.set(id, use)
        used[kind].delete(id)
      }
      await write(kind, first)
      for (const id of first.keys()) if (used[kind].get(id)?.isLate) writeSoon(id)
    }
  }

  /** What somebody else is changing just now is written the next time, if it is still there then. */
  async function write(kind: Kind, uses: ReadonlyMap<string, KeyUse>): Promise<void> {
    if (uses.size === 0) return
    const done = await writers[kind](database, [...uses].map(writtenUse))
    for (const [id, use] of uses) {
      if (!done.has(id) && !use.isLate && !used[kind].has(id)) used[kind].set(id, { ...use, isLate: true })
    }
  }

  async function flush(): Promise<void> {
    const { keys, grants } = used
    unused.clear()
    const uses = {
      sessions: [...sessions].map(([id, at]) => ({ id, at: iso(at) })),
      members: [...members].flatMap(([workspaceId, users]) =>
        [...users].map(([userId, at]) => ({ workspaceId, userId, at: iso(at) })),
      ),
    }
    Object.assign(used, { keys: new Map(), grants: new Map() })
    sessions = new Map()
    members = new Map()
    await write('keys', keys)
    await write('grants', grants)
    if (uses.sessions.length > 0) await writeSessions(database, uses.sessions)
    if (uses.members.length > 0) await writeMembers(database, uses.members)
  }

  const failed = (error: unknown) => log.error({ err: error }, 'last uses could not be written')
  const timer = setInterval(() => {
    for (const [id, at] of written) if (now().getTime() - at > sessionGapMs) written.delete(id)
    flush().catch(failed)
  }, flushMs).unref()

  return {
    saw(caller) {
      const { credential, credentialId: id } = caller
      const at = now().getTime()
      const ofKind = credential === 'key' ? used.keys : credential === 'oauth' ? used.grants : null
      const use = ofKind?.get(id)
      if (use) use.at = at
      else ofKind?.set(id, { at, scopes: new Map() })
      if (caller.isUnused) writeSoon(id)
      if (credential !== 'session' || at - (written.get(id) ?? 0) < sessionGapMs) return
      written.set(id, at)
      sessions.set(id, at)
    },
    used(caller, scopes) {
      const { credential, credentialId: id, userId, role } = caller
      const use = credential === 'key' ? used.keys.get(id) : credential === 'oauth' ? used.grants.get(id) : undefined
      // It was seen a moment ago.
      const at = use?.at ?? now().getTime()
      if (use) for (const scope of scopes) use.scopes.set(scope, at)
      const workspaceId = caller.boundTo ?? caller.workspaceId
      if (userId === null || role === null || workspaceId === null) return
      const users = members.get(workspaceId)
      if (users) users.set(userId, at)
      else members.set(workspaceId, new Map([[userId, at]]))
    },
    flush,
    async stop() {
      clearInterval(timer)
      clearTimeout(fresh)
      await flush()
    },
  }
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}

type WrittenUse = { id: string; at: string; scopes: Record<string, string> }

function writtenUse([id, { at, scopes }]: [string, KeyUse]): WrittenUse {
  return { id, at: iso(at), scopes: Object.fromEntries([...scopes].map(([scope, used]) => [scope, iso(used)])) }
}

/** Never waits for a row, so that it can keep nobody waiting in a circle; what is newer there stays. Says what is done. */
async function writeKeys(database: Database, uses: readonly WrittenUse[]): Promise<Set<string>> {
  const rows = await database.query<{ id: string }>(sql`
    with u as (
      select * from jsonb_to_recordset(${JSON.stringify(uses)}::jsonb) as u(id text, at timestamptz, scopes jsonb)
    ), held as (
      select k.id from api_keys k where k.id in (select id from u) order by k.id for no key update skip locked
    )
    update api_keys k set last_active = greatest(k.last_active, u.at), scope_use = (
      select coalesce(jsonb_object_agg(name, at), '{}') from (
        select name, max(at) as at from (
          select * from jsonb_each_text(k.scope_use) union all select * from jsonb_each_text(u.scopes)) both_uses(name, at)
        group by name) newest)
    from u join held using (id) where k.id = u.id returning k.id`)
  return new Set(rows.map(({ id }) => id))
}

async function writeGrants(database: Database, uses: readonly WrittenUse[]): Promise<Set<string>> {
  const rows = await database.query<{ id: string }>(sql`
    with u as (
      select * from jsonb_to_recordset(${JSON.stringify(uses)}::jsonb) as u(id text, at timestamptz, scopes jsonb)
    ), held as (
      select g.id from oauth_grants g where g.id in (select id from u) order by g.id for no key update skip locked
    )
    update oauth_grants g set last_used_at = greatest(g.last_used_at, u.at), scope_use = g.scope_use || u.scopes
    from u join held using (id) where g.id = u.id returning g.id`)
  return new Set(rows.map(({ id }) => id))
}

const writers = { keys: writeKeys, grants: writeGrants }

async function writeSessions(database: Database, uses: readonly { id: string; at: string }[]): Promise<void> {
  await database.query(sql`
    with u as (
      select * from jsonb_to_recordset(${JSON.stringify(uses)}::jsonb) as u(id text, at timestamptz)
    ), held as (
      select s.id from sessions s where s.id in (select id from u) order by s.id for no key update skip locked
    )
    update sessions s set last_used = greatest(s.last_used, u.at) from u join held using (id)
    where s.id = u.id and s.last_used <= u.at - make_interval(secs => ${sessionGapMs / 1000}::int)`)
}

async function writeMembers(
  database: Database,
  uses: readonly { workspaceId: string; userId: string; at: string }[],
): Promise<void> {
  await database.query(sql`
    with u as (
      select * from jsonb_to_recordset(${JSON.stringify(uses)}::jsonb)
        as u("workspaceId" text, "userId" text, at timestamptz)
    ), held as (
      select m.workspace_id, m.user_id from workspace_members m
      where (m.workspace_id, m.user_id) in (select "workspaceId", "userId" from u)
      order by m.workspace_id, m.user_id for no key update skip locked
    )
    update workspace_members m set last_active = greatest(m.last_active, u.at)
    from u join held on held.workspace_id = u."workspaceId" and held.user_id = u."userId"
    where m.workspace_id = held.workspace_id and m.user_id = held.user_id`)
}
