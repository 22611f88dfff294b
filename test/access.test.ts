// Every operation from the outside: what a caller without a good credential is told.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { example } from '../src/contract/examples.ts'
import type { Operation } from '../src/contract/operation.ts'
import { operation as lookUp, operationIds } from '../src/operations.ts'
import { signedElsewhere } from './calls.ts'
import { platform, type TestPlatform } from './helpers/platform.ts'

let p: TestPlatform
beforeAll(async () => {
  p = await platform()
})
afterAll(() => p.close())

const table = operationIds.map(id => [id, lookUp(id) as Operation] as const)
const closed = table.filter(([, { access }]) => access !== 'public')
const open = table.filter(([, { access }]) => access === 'public')

/** A path that could be right, and no body: who may not enter learns nothing about the rest. */
function inputFor({ path }: Operation): Record<string, unknown> {
  return path ? (example(path) as Record<string, unknown>) : {}
}

const bad: Record<string, Record<string, string>> = {
  'no credential': {},
  'an unknown key': { 'x-api-key': `atr_${'0'.repeat(54)}` },
  'an unknown session': { authorization: `Bearer sess_${'A'.repeat(43)}` },
  'an unknown cookie': { cookie: `session=sess_${'A'.repeat(43)}` },
  'the id of a key': { 'x-api-key': `key_${'0'.repeat(64)}` },
  'another scheme': { authorization: 'Basic YTpi' },
  'an empty header': { 'x-api-key': '' },
}

describe.each(closed)('%s', (id, operation) => {
  it.each(Object.entries(bad))('answers 401 to %s', async (_, headers) => {
    const answer = await p.call(id, inputFor(operation), null, headers)
    expect(answer.status).toBe(401)
    const failure = { message: 'Unauthorized', detail: expect.any(String) }
    const ofOtlp = { code: 16, message: expect.any(String) }
    expect(answer.body).toEqual(operation.signal ? ofOtlp : { success: false, message: null, error: failure })
  })

  it('answers 401 to a key and a session that are sent together', async () => {
    const owner = await p.user()
    const key = await p.key(owner)
    const answer = await p.call(id, inputFor(operation), null, { ...owner.headers, ...key.headers })
    expect(answer.status).toBe(401)
  })
})

describe.each(open)('%s', (id, operation) => {
  it('lets in whoever comes without a credential', async () => {
    const answer = await p.call(id, inputFor(operation))
    // A record that nobody has made is not there for anybody.
    const asked = signedElsewhere.includes(id) ? 401 : operation.path ? 404 : (operation.status ?? 200)
    expect(answer.status).toBe(operation.body?.required?.length ? 400 : asked)
  })
})
