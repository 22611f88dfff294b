// Idempotency-Key: the same request sent again gets the same answer and is carried out once.
import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto'
import type { Content } from '../../contract/content.ts'
import { badRequest, conflict } from '../../contract/errors.ts'
import { isRepeatable, isWrite, type Operation } from '../../contract/operation.ts'
import type { Caller, Origin } from '../../kit/context.ts'
import { type Db, first } from '../../kit/db.ts'
import { answering, answerOf } from '../../kit/implement.ts'
import type { Settings } from '../../kit/settings.ts'
import { sql } from '../../kit/sql.ts'

export type Repeat = {
  /** Hash of credential, operation, path and the client's key, of which nothing else is stored. */
  id: string
  bodyHash: string
  clientKey: string
}

type Earlier = { bodyHash: string; answer: string | null }

/**
 * What makes two requests the same one; null where no key counts. Runs send one with every write, to be recognised after a
 * crash. An operation that does not declare the header refuses none: a bad key is ignored, another body another request.
 */
export function repeatOf(
  operationId: string,
  operation: Operation,
  caller: Caller,
  origin: Origin,
  input: object,
  sign: Settings['sign'],
): Repeat | null {
  const { idempotencyKey: key, path } = origin
  if (key === null) return null
  const isDeclared = isRepeatable(operation)
  if (!isDeclared && !(caller.credential === 'run' && isWrite(operation))) return null
  if (key.length < 1 || key.length > 128) {
    if (!isDeclared) return null
    throw badRequest('Idempotency-Key takes 1 to 128 characters.')
  }
  const fields = Object.entries(told(input)).sort(([one], [other]) => (one < other ? -1 : 1))
  const request = [caller.credentialId, operationId, path, key]
  if (!isDeclared) request.push(sign('idempotency body', JSON.stringify(fields)))
  const id = hash('sha256', JSON.stringify(request), 'base64url')
  // Keyed, since a body may hold a password that could be guessed from a plain hash.
  return { id, bodyHash: sign('idempotency body', JSON.stringify([id, fields])), clientKey: key }
}

/** Of content, its hash stands for it. */
function told(input: object): object {
  const { content } = input as { content?: Content }
  if (!(content?.bytes instanceof Uint8Array)) return input
  if (content.file) return { ...input, content: { kind: content.kind, bytes: content.file.sha256 } }
  return { ...input, content: { ...content, bytes: hash('sha256', content.bytes, 'base64url') } }
}

/** The answer that was given before, undefined where there was none. Another body under the same key is refused. */
export async function earlierAnswer(
  db: Db,
  secretKey: string,
  repeat: Repeat,
): Promise<{ value: unknown } | undefined> {
  const earlier = await first<Earlier>(
    db,
    sql`
    select body_hash, answer from idempotency_keys where id = ${repeat.id}`,
  )
  if (!earlier) return undefined
  // A rotation of the secret key leaves no hash.
  if (earlier.bodyHash === '')
    throw conflict('This request was carried out, but its answer can no longer be read; look at what it made.')
  if (earlier.bodyHash !== repeat.bodyHash)
    throw conflict('This Idempotency-Key was used with another body; take a new one.')
  if (earlier.answer === null) return undefined
  const value = JSON.parse(open(secretKey, repeat, earlier.answer))
  const isOther = typeof value === 'object' && value !== null && statusField in value
  return { value: isOther ? answering(value[statusField], value.result) : value }
}

/**
 * Takes the key for this transaction: whoever else sends it waits until this one ends.
 * False where another transaction has already carried it out.
 */
export async function claim(db: Db, repeat: Repeat, now: Date): Promise<boolean> {
  const rows = await db.query(sql`
    insert into idempotency_keys (id, body_hash, created) values (${repeat.id}, ${repeat.bodyHash}, ${now})
    on conflict (id) do nothing returning id`)
  return rows.length > 0
}

/** Where an answer has another status than the usual one, it stands beside it; no field of a result is named so. */
const statusField = '$status'

/** `returned` as the handler returned it. */
export async function keepAnswer(db: Db, secretKey: string, repeat: Repeat, returned: unknown): Promise<void> {
  const { status, result } = answerOf(returned)
  const whole = status === undefined ? result : { [statusField]: status, result }
  const answer = seal(secretKey, repeat, JSON.stringify(whole))
  await db.query(sql`update idempotency_keys set answer = ${answer} where id = ${repeat.id}`)
}

/** Of the instance's secret and the client's value: neither alone opens an answer, which may hold a new key. */
function keyOf(secretKey: string, { id, clientKey }: Repeat): Buffer {
  return Buffer.from(hkdfSync('sha256', secretKey, id, `idempotency ${clientKey}`, 32))
}

function seal(secretKey: string, repeat: Repeat, text: string): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', keyOf(secretKey, repeat), nonce)
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')
}

function open(secretKey: string, repeat: Repeat, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64url')
  const decipher = createDecipheriv('aes-256-gcm', keyOf(secretKey, repeat), bytes.subarray(0, 12))
  decipher.setAuthTag(bytes.subarray(12, 28))
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
}
