// Writers that go on until the service dies, and what they know afterwards: what it said it had kept, and what it did not say.
import { randomBytes } from 'node:crypto'
import { password } from '../helpers/platform.ts'

type Answer = { status: number; result: Record<string, unknown> }

/** A write whose answer never came: it is sent again, under the same key. */
type Unanswered = { path: string; body: object; key: string; keep: (result: Record<string, unknown>) => void }

type Team = {
  id: string
  /** Colours that it may have: the last one that was acknowledged, and one whose answer never came. */
  colors: (string | null)[]
  /** `asked`: a deletion whose answer never came. */
  deleted: 'no' | 'asked' | 'yes'
}

/** One life of the service: a workspace of its own, so that all of it can be compared. */
export type Life = {
  workspaceId: string
  teams: Map<string, Team>
  invites: Map<string, string>
  sessions: Map<string, string>
  /** Addresses that were signed up with a second time, since the first answer never came. */
  askedTwice: Set<string>
  unanswered: Unanswered[]
  /** Changes and deletions that may have been carried out without an answer. */
  unsure: { patches: number; deletes: number }
  acknowledged: { patches: number; deletes: number }
}

export function client(baseUrl: string, token: string | null) {
  return async (method: string, path: string, body?: object, key?: string): Promise<Answer> => {
    const answer = await fetch(`${baseUrl}/v1${path}`, {
      method,
      headers: {
        ...(body && { 'content-type': 'application/json' }),
        ...(token && { authorization: `Bearer ${token}` }),
        ...(key && { 'idempotency-key': key }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    })
    const { result } = (await answer.json()) as { result: Answer['result'] }
    if (answer.status >= 300) throw new Refused(`${method} ${path} answers ${answer.status}`)
    return { status: answer.status, result }
  }
}

/** The service spoke, and did not do what it should have. */
export class Refused extends Error {}

export type Client = ReturnType<typeof client>

export function newLife(workspaceId: string): Life {
  return {
    workspaceId,
    teams: new Map(),
    invites: new Map(),
    sessions: new Map(),
    askedTwice: new Set(),
    unanswered: [],
    unsure: { patches: 0, deletes: 0 },
    acknowledged: { patches: 0, deletes: 0 },
  }
}

/** A POST that is carried out once, however often it has to be sent. */
async function post(send: Client, life: Life, path: string, body: object, keep: Unanswered['keep']): Promise<void> {
  const key = randomBytes(12).toString('hex')
  try {
    keep((await send('POST', path, body, key)).result)
  } catch (error) {
    life.unanswered.push({ path, body, key, keep })
    throw error
  }
}

async function writeTeams(send: Client, life: Life, writer: number): Promise<void> {
  const { workspaceId, teams, unsure, acknowledged } = life
  for (let count = 0; ; count++) {
    const name = `Team ${writer}-${count}`
    await post(send, life, '/teams', { workspaceId, name }, ({ id }) => {
      teams.set(name, { id: id as string, colors: [null], deleted: 'no' })
    })
    const team = teams.get(name) as Team
    const path = `/teams/${workspaceId}/${team.id}`
    if (count % 2 === 0) {
      const color = `#${randomBytes(3).toString('hex')}`
      team.colors.push(color)
      unsure.patches++
      await send('PATCH', path, { color })
      unsure.patches--
      acknowledged.patches++
      team.colors = [color]
    }
    if (count % 3 === 0) {
      team.deleted = 'asked'
      unsure.deletes++
      await send('DELETE', path)
      unsure.deletes--
      acknowledged.deletes++
      team.deleted = 'yes'
    }
  }
}

const newAddress = () => `${randomBytes(8).toString('hex')}@example.com`

async function writeInvites(send: Client, life: Life): Promise<void> {
  const { workspaceId, invites } = life
  for (;;) {
    const email = newAddress()
    await post(send, life, '/workspace_members/invites', { workspaceId, position: 'viewer', email }, ({ id }) => {
      invites.set(email, id as string)
    })
  }
}

/** Signing up again with the same password is signing up once. */
async function writeAccounts(send: Client, life: Life): Promise<void> {
  for (;;) {
    const email = newAddress()
    await post(send, life, '/auth/signup', { email, password }, ({ token }) => {
      life.sessions.set(email, token as string)
    })
  }
}

/** Ends when the service has died under all of them; anything else that ends a writer is a fault. */
export async function writeUntilKilled(baseUrl: string, token: string, life: Life): Promise<void> {
  const send = client(baseUrl, token)
  const writers = [
    writeTeams(send, life, 0),
    writeTeams(send, life, 1),
    writeInvites(send, life),
    writeAccounts(client(baseUrl, null), life),
  ]
  const ends = await Promise.allSettled(writers)
  for (const end of ends) {
    if (end.status === 'rejected' && end.reason instanceof Refused) throw end.reason
  }
}

/** What went unanswered is sent again to the service that came after. */
export async function settle(baseUrl: string, token: string, life: Life): Promise<void> {
  for (const { path, body, key, keep } of life.unanswered.splice(0)) {
    const isSignUp = path === '/auth/signup'
    if (isSignUp) life.askedTwice.add((body as { email: string }).email)
    const send = client(baseUrl, isSignUp ? null : token)
    keep((await send('POST', path, body, key)).result)
  }
}
