// Sealed values: each opens for its own record only, and no operation gives one out.
import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { type TSchema, Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import type { Operation } from '../src/contract/operation.ts'
import { nullable, object, record } from '../src/contract/records.ts'
import { sealed, sealedColumns, secretsSet } from '../src/contract/sealed.ts'
import { namesSet, openValues, sealValues } from '../src/kit/sealed.ts'
import { operation as lookUp, operationIds } from '../src/operations.ts'
import { changesBetween, fieldKinds } from '../src/server/ledger/changes.ts'
import { secretsFrom } from '../src/server/upkeep/secrets.ts'

const secretKey = 'k'.repeat(40)
const secrets = secretsFrom(secretKey)

describe('a sealed value', () => {
  it('opens for its purpose and its record, and for no other', () => {
    const text = secrets.seal('links.secrets', 'theirs', 'link_1')
    expect(text).not.toContain('theirs')
    expect(secrets.open('links.secrets', text, 'link_1')).toBe('theirs')
    expect(() => secrets.open('links.secrets', text, 'link_2')).toThrow()
    expect(() => secrets.open('other.secrets', text, 'link_1')).toThrow()
    // Cut down to the older form, it does not lose what ties it to its record.
    expect(() => secrets.open('links.secrets', text.split('.')[2] as string, 'link_1')).toThrow()
  })

  it('says so where it was sealed with another key, or is no sealed value', () => {
    const text = secrets.seal('links.secrets', 'theirs', 'link_1')
    const open = (value: string) => () => secretsFrom('other'.repeat(10)).open('links.secrets', value, 'link_1')
    expect(open(text)).toThrow('it was sealed with another key')
    expect(open(`2${text.slice(1)}`)).toThrow('it is not a sealed value')
  })

  it('of the form before this one still opens', () => {
    const key = Buffer.from(hkdfSync('sha256', secretKey, 'atrium', 'seal invite mail', 32))
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', key, nonce)
    const body = Buffer.concat([cipher.update('inv_old', 'utf8'), cipher.final()])
    const old = Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')
    expect(secrets.open('invite mail', old, 'invite_1')).toBe('inv_old')
  })

  it('cannot be swapped with another of the same record', () => {
    const values = sealValues(secrets, 'links.secrets', 'link_1', { user: 'one', admin: 'other' })
    expect(namesSet(values)).toEqual(['admin', 'user'])
    expect(openValues(secrets, 'links.secrets', 'link_1', values)).toEqual({ user: 'one', admin: 'other' })
    const swapped = { user: values.admin as string, admin: values.user as string }
    expect(() => openValues(secrets, 'links.secrets', 'link_1', swapped)).toThrow()
  })
})

/** What an operation does wrong with sealed fields. */
function faultsOf({ query, body, result }: Operation): string[] {
  const isIn = (schema: TSchema | undefined, text: string) => JSON.stringify(schema ?? {}).includes(text)
  const names = Object.keys((result as { properties?: object }).properties ?? {})
  return [
    ...(isIn(result, '"x-sealed"') ? ['gives a sealed value out'] : []),
    ...(isIn(query, '"x-sealed"') ? ['takes a secret in its address'] : []),
    ...(body && sealedColumns(body).length > 0 && !names.includes('secretsSet') ? ['does not say what is set'] : []),
  ]
}

describe('the law of sealed fields', () => {
  const base = { summary: 'Make a link', route: 'POST /v1/links', access: 'credential' } as const
  const body = object({ name: Type.String(), token: sealed('links.secrets') })

  it.each(operationIds)('holds for %s', id => {
    expect(faultsOf(lookUp(id) as Operation)).toEqual([])
  })

  it('is broken by an operation that gives one out, or does not say what is set', () => {
    const good = record('Link', { name: Type.String(), secretsSet })
    expect(faultsOf({ ...base, body, result: good })).toEqual([])
    expect(faultsOf({ ...base, body, result: record('Link', { name: Type.String() }) })).toEqual([
      'does not say what is set',
    ])
    expect(faultsOf({ ...base, body, result: object({ ...body.properties, secretsSet }) })).toEqual([
      'gives a sealed value out',
    ])
    expect(faultsOf({ ...base, query: body, result: good })).toEqual(['takes a secret in its address'])
  })

  it('finds them where they may be null, or are of several', () => {
    const deep = object({
      one: nullable(sealed('links.secrets')),
      more: Type.Array(object({ key: sealed('keys.secrets') })),
    })
    expect(sealedColumns(deep)).toEqual(['links.secrets', 'keys.secrets'])
  })

  it('masks them in the ledger', () => {
    const { changes } = changesBetween(fieldKinds([body]), { name: 'a' }, { name: 'a', token: 'theirs' })
    expect(changes).toEqual([{ path: 'token', after: '[secret]' }])
  })
})
