// One sync: what the remote has is asked, fetched where it differs, and written down. Nothing slow in a transaction.
import { hash } from 'node:crypto'
import type { Context, Fetch } from '../../../kit/context.ts'
import type { Db } from '../../../kit/db.ts'
import type { Git, Mirror, Remote, RemoteRefs } from '../../../kit/git.ts'
import type { JobContext } from '../../../kit/jobs.ts'
import { openValues } from '../../../kit/sealed.ts'
import { accessTo } from '../../integrations/hosts/credentials.ts'
import { factsOf } from './facts.ts'
import { errorOf } from './faults.ts'
import * as store from './store.ts'

const renewMs = 15_000
const mostRefs = 20_000

type Parts = Pick<Context, 'settings' | 'now'> & { db: Db; git: Git; fetch: Fetch }

/** False where another process has it. */
export async function syncOne(ctx: JobContext, workspaceId: string, id: string): Promise<boolean> {
  const lease = ctx.id
  const outcome = await underLease(ctx, workspaceId, id, lease, async row => {
    const { transaction, record, now, db } = ctx
    const target = { object: 'repository', id }
    try {
      const found = await lookedAt(ctx, row, lease)
      if (found === null) return await store.foundSame(db, id, lease, now())
      const isKept = await transaction(async tx => {
        if (!(await store.foundOther(tx, row, lease, found, now()))) return false
        await record(tx, { chain: workspaceId, action: 'repositories.synced', target })
        return true
      })
      // Deleted, or pointed elsewhere, in the meantime.
      if (!isKept) await ctx.git.mirror(id).remove()
    } catch (error) {
      const fault = errorOf(error)
      if (!fault) throw error
      await transaction(async tx => {
        const isKept = await store.failed(tx, id, lease, fault, now())
        // Told once, not with each try that finds the same.
        if (isKept && fault.code !== row.errorCode) {
          await record(tx, { chain: workspaceId, action: 'repositories.failed', target })
        }
      })
    }
  })
  return outcome !== undefined
}

/** Where this machine has no mirror, or an old one: fetched, without anything being written down. */
export async function restore(ctx: Parts, workspaceId: string, id: string, lease: string): Promise<boolean> {
  const outcome = await underLease(ctx, workspaceId, id, lease, async row => {
    const mirror = ctx.git.mirror(id)
    await mirror.fetch(await remoteOf(ctx, row))
    // Pointed elsewhere in the meantime.
    if (!(await store.renew(ctx.db, id, lease))) await mirror.remove()
  })
  return outcome !== undefined
}

/** Nothing where another process has the lease; it is kept up while the work goes on. */
async function underLease(
  { db }: Parts,
  workspaceId: string,
  id: string,
  lease: string,
  work: (row: store.Leased) => Promise<void>,
): Promise<true | undefined> {
  const row = await store.take(db, workspaceId, id, lease)
  if (!row) return undefined
  const renewing = setInterval(() => void store.renew(db, id, lease).catch(() => {}), renewMs)
  try {
    await work(row)
  } finally {
    clearInterval(renewing)
    await store.release(db, id, lease)
  }
  return true
}

/** `provider`, `api` and `base`: who is asked for pull requests, and where, as far as that is known. */
export type HostedRemote = Remote & { provider: string; api?: string; base?: string }

/** Throws a `HostFault` where the integration that it is read with has no token for this address. */
export async function remoteOf(
  ctx: Pick<Parts, 'settings' | 'db' | 'fetch' | 'now'>,
  row: store.Leased,
): Promise<HostedRemote> {
  const { id, workspaceId, url, provider, secrets, integrationId, hostKey } = row
  if (integrationId === null) {
    const credentials = openValues(ctx.settings, 'repositories.secrets', id, secrets)
    return { url, isLocal: provider === 'local', credentials, hostKey, provider }
  }
  const { type, username, token, api, base } = await accessTo(ctx, { workspaceId, integrationId, url })
  return { url, isLocal: false, credentials: { username, token }, hostKey, provider: type, api, base }
}

/** Null where the remote is as it was, which costs one question. */
async function lookedAt(ctx: Parts, row: store.Leased, lease: string): Promise<store.Found | null> {
  const { db, git } = ctx
  await git.ready()
  const mirror = git.mirror(row.id)
  const remote = await remoteOf(ctx, row)
  // Never synced from this address: what another one has left would be read by whoever knows its ids.
  if (row.refsDigest === null) await mirror.remove()
  const { hostKey, ...asked } = await mirror.ask(remote)
  if (hostKey !== null && row.hostKey === null) await store.keepHostKey(db, row.id, lease, hostKey)
  const digest = digestOf(asked)
  if (digest === row.refsDigest && (row.headSha === null || (await mirror.head(row.headSha)))) return null
  if (asked.refs.size > 0) await mirror.fetch({ ...remote, hostKey: row.hostKey ?? hostKey })
  const refs = await refsOf(mirror)
  const branch = defaultBranchOf(asked, refs)
  const headSha = refs.find(({ name }) => name === `refs/heads/${branch}`)?.sha ?? null
  const facts = headSha === null ? { languages: [], codeowners: false } : await factsOf(mirror, row.id, headSha)
  return { digest, defaultBranch: branch, headSha, sizeBytes: await mirror.bytes(), refs, ...facts }
}

function digestOf({ refs, head }: RemoteRefs): string {
  return hash(
    'sha256',
    JSON.stringify([head, ...[...refs].sort(([one], [other]) => (one < other ? -1 : 1))]),
    'base64url',
  )
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Commits that branches and tags point at, as the mirror has them. Tags of other things are left out. */
async function refsOf(mirror: Mirror): Promise<{ name: string; sha: string }[]> {
  const format = '--format=%(refname)%00%(objecttype)%00%(objectname)%00%(*objecttype)%00%(*objectname)'
  const output = await mirror.run(['for-each-ref', format, 'refs/heads', 'refs/tags'], {
    maxBytes: 32 * 1024 * 1024,
    timeoutMs: 60_000,
  })
  const found: { name: string; sha: string }[] = []
  for (let from = 0; from < output.length && found.length < mostRefs; ) {
    const end = output.indexOf(0x0a, from)
    const line = output.subarray(from, end < 0 ? output.length : end)
    from = end < 0 ? output.length : end + 1
    const [name, type, sha, peeledType, peeledSha] = decoded(line)?.split('\0') ?? []
    if (!name) continue
    if (type === 'commit' && sha) found.push({ name, sha })
    else if (peeledType === 'commit' && peeledSha) found.push({ name, sha: peeledSha })
  }
  return found
}

/** Names of refs that are no UTF-8 cannot be asked for, so they are not shown. */
function decoded(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes)
  } catch {
    return null
  }
}

/** What the remote calls its head; where that is no branch, the one that people expect. */
function defaultBranchOf({ head, headSha }: RemoteRefs, refs: readonly { name: string; sha: string }[]): string | null {
  const branches = refs.filter(({ name }) => name.startsWith('refs/heads/'))
  const named = ['refs/heads/main', 'refs/heads/master']
  const found =
    branches.find(({ name }) => name === head) ??
    branches.find(({ sha, name }) => sha === headSha && named.includes(name)) ??
    branches.find(({ sha }) => sha === headSha) ??
    branches.find(({ name }) => named.includes(name)) ??
    branches[0]
  const name = found?.name ?? head
  return name?.startsWith('refs/heads/') ? name.slice('refs/heads/'.length) : null
}
