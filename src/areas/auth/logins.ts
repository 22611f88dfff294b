// How somebody comes to be logged in: whom a name may mean, and the session they get.
import { unauthorized } from '../../contract/errors.ts'
import type { Context } from '../../kit/context.ts'
import type { Db } from '../../kit/db.ts'
import { isPassword } from '../../kit/passwords.ts'
import { newId } from '../../kit/random.ts'
import { newToken, tokenHash } from '../../kit/tokens.ts'
import { SessionId } from './sessions/contract.ts'
import * as sessions from './sessions/store.ts'
import * as store from './store.ts'

export const wrongLogin = 'The e-mail address or username and the password do not belong together.'

/** Those whom this e-mail address or username may mean. */
export async function accountsNamed(db: Db, name: string): Promise<store.Account[]> {
  if (name.includes('@')) return await store.findByAddress(db, name)
  return [await store.findByUsername(db, name)].filter(user => user !== undefined)
}

/** The first whose password it is; where there is nobody, finding that out takes as long. */
export async function ownerOfPassword(
  candidates: readonly store.Account[],
  password: string,
): Promise<store.Account | undefined> {
  if (candidates.length === 0) await isPassword(null, password)
  for (const candidate of candidates) if (await isPassword(candidate.passwordHash, password)) return candidate
  return undefined
}

type Opening = Pick<Context, 'db' | 'now' | 'origin' | 'note'>

export async function openSession({ db, now, origin, note }: Opening, userId: string): Promise<string> {
  if (!(await sessions.lockUser(db, userId))) throw unauthorized(wrongLogin)
  const token = newToken('sess')
  const { address, userAgent } = origin
  await sessions.insertSession(db, { id: newId(SessionId), userId, hash: tokenHash(token), address, userAgent }, now())
  note({ actor: userId, target: { object: 'user', id: userId } })
  return token
}
