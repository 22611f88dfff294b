// Everyone who may call: each kind of credential in one workspace, and someone who belongs to another.
import { workspaceIn } from '../../src/contract/operation.ts'
import { agentCallers, type CallerKind, scopes } from '../../src/contract/scopes.ts'
import { sql } from '../../src/kit/sql.ts'
import { newToken } from '../../src/kit/tokens.ts'
import { operation as lookUp } from '../../src/operations.ts'
import { type CallRow, calls, type World, world } from '../calls.ts'
import { ownClient, tokensFor } from '../helpers/oauth.ts'
import type { TestCaller, TestPlatform } from '../helpers/platform.ts'

export const kinds = [
  'nobody',
  'unknown',
  'session',
  'cookie',
  'viewer',
  'key',
  'narrow key',
  'two at once',
  ...agentCallers.map(kind => `run ${kind}` as const),
  'oauth',
  'client',
  'foreign',
] as const

export type Kind = (typeof kinds)[number]

const alwaysRefused: readonly Kind[] = ['nobody', 'unknown', 'two at once']

/** `id` is that of the credential, where one was made for the call. */
export type FuzzCaller = Pick<TestCaller, 'headers' | 'userId'> & { id?: string }

type Marked = World & { marker: string }
type Input = Record<string, unknown>

const rows = calls as Record<string, CallRow>

/** A world is left behind after so many requests, before its lists grow long and its people have nothing left to do. */
const longestStay = 4_000

let count = 0

async function markedWorld(p: TestPlatform): Promise<Marked> {
  const made = { ...(await world(p)), marker: `zq${(count++).toString().padStart(4, '0')}qz` }
  await mark(made)
  return made
}

/** Puts the marker where a reader would find it: in every text of the workspace and its people. */
async function mark({ p, workspaceId, marker }: Marked): Promise<void> {
  const name = `Of ${marker}`
  await p.database.query(sql`
    with in_workspaces as (
      update workspaces set name = ${name}, description = ${name}, slug = ${marker}
      where id = ${workspaceId} and name <> ${name}
    ), in_users as (
      update users set forename = ${name}, surname = ${name}, email = ${marker} || substr(id, 5) || '@example.com',
        proven_email = ${marker} || substr(id, 5) || '@example.com'
      where forename <> ${name} and id in (select user_id from workspace_members where workspace_id = ${workspaceId})
    ), in_teams as (
      update teams set name = ${name} where workspace_id = ${workspaceId} and name <> ${name}
    ), in_keys as (
      update api_keys set name = ${name} where workspace_id = ${workspaceId} and name <> ${name}
    )
    update oauth_clients set name = ${name}, contact_email = ${marker} || '@example.com'
    where workspace_id = ${workspaceId} and name <> ${name}`)
}

async function make(kind: Kind, here: Marked, there: Marked): Promise<FuzzCaller> {
  const { p, owner, viewer } = here
  const session = async ({ userId, workspaceId }: TestCaller) => ({ ...(await p.session(userId)), workspaceId })
  if (kind === 'nobody') return { userId: '', headers: {} }
  if (kind === 'unknown') return { userId: '', headers: { authorization: `Bearer ${newToken('sess')}` } }
  if (kind === 'session') return await session(owner)
  if (kind === 'viewer') return await session(viewer)
  if (kind === 'foreign') return await session(there.owner)
  if (kind === 'cookie') return { ...owner, headers: { cookie: `session=${(await session(owner)).token}` } }
  if (kind === 'key') return await p.key(owner)
  if (kind === 'narrow key') return await p.key(owner, { scopes: ['teams:read'] })
  if (kind === 'oauth') {
    // Other requests move the clock on; a code that expires meanwhile is asked for again.
    const ask = async () => await tokensFor(p, await session(owner))
    const { access_token } = await ask().catch(ask)
    return { ...owner, headers: { authorization: `Bearer ${access_token}` } }
  }
  if (kind === 'client') return (await ownClient(p, await session(owner), scopes)).caller
  if (kind === 'two at once') {
    return { ...owner, headers: { ...(await session(owner)).headers, ...(await p.key(owner)).headers } }
  }
  return await p.run(await session(owner), kind.slice('run '.length) as CallerKind)
}

export async function callers(p: TestPlatform) {
  let here = await markedWorld(p)
  let there = await markedWorld(p)
  let made = new Map<Kind, Promise<FuzzCaller>>()
  let goods = new Map<string, Promise<Input>>()
  let requests = 0
  const left: Marked[] = []

  async function move(): Promise<void> {
    requests = 0
    left.push(here, there)
    const [next, other] = [await markedWorld(p), await markedWorld(p)]
    here = next
    there = other
    made = new Map()
    goods = new Map()
  }

  function callerOf(kind: Kind): Promise<FuzzCaller> {
    const caller = made.get(kind) ?? make(kind, here, there)
    made.set(kind, caller)
    return caller
  }

  /** With a session of its own: what is fuzzed may have ended any other. */
  async function loggedIn({ owner, workspaceId }: Marked): Promise<TestCaller> {
    return { ...owner, ...(await p.session(owner.userId)), workspaceId }
  }

  /** Good once: made again after a write has used it up. */
  function goodInput(id: string, place: Marked, caller: FuzzCaller): Promise<Input> {
    const key = `${id} ${place.marker}`
    // Whoever is made anew for each call needs an input of their own too.
    if (rows[id]?.by) goods.delete(key)
    const fresh = async () => {
      const owner = await loggedIn(place)
      // Somebody from elsewhere has no records in this workspace: then they are the owner's.
      const operation = lookUp(id)
      const isOwn = operation && workspaceIn(operation) === null
      const canOwn = isOwn || isOf(place, caller)
      const asker = {
        ...owner,
        ...(caller.userId && canOwn && { userId: caller.userId }),
        ...(rows[id]?.by && caller.id && { id: caller.id }),
      }
      const input = await rows[id]?.input({ ...place, owner }, asker)
      await mark(place)
      return input ?? {}
    }
    const input = goods.get(key) ?? fresh()
    goods.set(key, input)
    return input
  }

  return {
    /** What a caller needs for one request, and what must not be seen in the answer. */
    async take(id: string, kind: Kind) {
      if (++requests === longestStay) await move()
      const [home, away] = [here, there]
      const isPerson = ['session', 'cookie', 'viewer', 'foreign'].includes(kind)
      const by = isPerson ? rows[id]?.by : undefined
      const caller = by ? await by({ ...home, owner: await loggedIn(home) }) : await callerOf(kind)
      const [own, foreign] = [await goodInput(id, home, caller), await goodInput(id, away, caller)]
      // Whoever an operation names itself can be of the workspace, as a run is, or not yet, as somebody invited.
      const isStranger = by ? !isOf(home, caller) : ['nobody', 'unknown', 'foreign'].includes(kind)
      const isOfOther = kind === 'foreign' && !by
      const secrets = [...(isStranger ? secretsOf(home) : []), ...(isOfOther ? [] : secretsOf(away))]
      return { headers: caller.headers, goods: { own, foreign }, secrets }
    },
    /** After an answer: what is used up is made again when next asked for. */
    spent(id: string, kind: Kind, method: string, status: number): void {
      if (status === 401 && !alwaysRefused.includes(kind)) made.delete(kind)
      if (method === 'get' || status >= 300) return
      for (const place of [here, there]) goods.delete(`${id} ${place.marker}`)
    },
    worlds: () => [...left, here, there],
  }
}

const peopleOf = ({ owner, admin, member, viewer }: Marked) => [owner, admin, member, viewer].map(one => one.userId)

function isOf(place: Marked, { userId }: FuzzCaller): boolean {
  return peopleOf(place).includes(userId)
}

function secretsOf(place: Marked): string[] {
  return [place.marker, place.workspaceId, ...peopleOf(place)]
}
