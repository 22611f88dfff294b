// What a node may hold: bounded in size, without what looks like a secret or an address of a person.
import { hash } from 'node:crypto'
import { ApiError } from '../../contract/errors.ts'
import { canonical } from '../../kit/json.ts'
import { redact } from '../../kit/redaction.ts'

export type Facts = {
  name: string
  category: string
  properties: Record<string, unknown>
  tags: Record<string, string>
}

const mostBytes = 64 * 1024
const instead = '[redacted]'

/** Whole words of a name such as `db_password`, `dbPassword` or `x-api-key`. */
const secretName =
  /(^|[_\-. ])(pass(word|wd|phrase)?|pwd|secrets?|tokens?|credentials?|api[_-]?keys?|private[_-]?keys?|access[_-]?keys?|secret[_-]?keys?|auth|authorization|connection[_-]?strings?|user[_-]?data|cookies?)($|[_\-. ])/i

export function isSecretName(name: string): boolean {
  return secretName.test(name.replace(/([a-z0-9])([A-Z])/g, '$1_$2'))
}

/** 413 where the properties are larger than a node may have. */
export function refuseLarge(path: string, properties: object | undefined): void {
  if (properties === undefined) return
  const bytes = Buffer.byteLength(JSON.stringify(properties))
  if (bytes <= mostBytes) return
  throw new ApiError(
    'payload_too_large',
    `"${path}" has ${bytes} bytes as JSON, and a node takes at most ${mostBytes}; leave out what nobody looks for.`,
    { path, bytes, most: mostBytes },
  )
}

/** The same facts without secrets. Most nodes have none, so their texts are looked through together first. */
export function withoutSecrets<F extends Facts>(facts: F): F {
  const { properties, tags } = facts
  const named = { properties: withoutNamed(properties), tags: withoutNamed(tags) }
  const text = JSON.stringify([named, facts.name])
  if (redact(text).count === 0) return { ...facts, ...named } as F
  return {
    ...facts,
    name: redact(facts.name).text,
    properties: redacted(named.properties),
    tags: redacted(named.tags),
  } as F
}

function withoutNamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNamed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, isHidden(name, part) ? instead : withoutNamed(part)]),
  )
}

/** A flag or a number under such a name, as in `hasPassword: true`, tells no secret; nor do empty values. */
function isHidden(name: string, part: unknown): boolean {
  return isSecretName(name) && part !== null && part !== '' && typeof part !== 'boolean' && typeof part !== 'number'
}

function redacted(value: unknown): unknown {
  if (typeof value === 'string') return redact(value).text
  if (Array.isArray(value)) return value.map(redacted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [redact(name).text, redacted(part)]))
}

/** Equal for equal facts, whatever the order in which a source tells them. */
export function digestOf({ name, category, properties, tags }: Facts): string {
  return hash('sha256', canonical([name, category, properties, tags]), 'base64url')
}
