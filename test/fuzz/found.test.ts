// What generated requests have found once is sent again, for ever.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { platform, type TestPlatform } from '../helpers/platform.ts'
import found from './found.json' with { type: 'json' }
import { type Found, fuzzEnv, fuzzer } from './fuzz.ts'

let p: TestPlatform
let fuzz: Awaited<ReturnType<typeof fuzzer>>
beforeAll(async () => {
  p = await platform({ env: fuzzEnv })
  fuzz = await fuzzer(p)
})
afterAll(() => p.close())

describe('what was found once', () => {
  it.each(found as Found[])('$operation as $caller no longer $problem', async one => {
    expect(await fuzz.replay(one)).toBeNull()
  })
})

describe('the judge', () => {
  const operation = () => fuzz.document.operations.find(({ operationId }) => operationId === 'teams.get')!
  const usual = { 'x-request-id': 'r', 'cache-control': 'no-store', 'ratelimit-limit': '1', 'ratelimit-policy': '' }
  const answer = (status: number, body: object, more: Record<string, string> = {}) =>
    fuzz.document.judge(operation(), {
      status,
      headers: { ...usual, ratelimit: '', 'content-type': 'application/json; charset=utf-8', ...more },
      body,
      result: undefined,
      error: null,
      text: JSON.stringify(body),
    })
  const failure = (message: string) => ({ success: false, message: null, error: { message, detail: 'Because.' } })

  it('takes what is declared and nothing else', () => {
    expect(answer(404, failure('Not found'))).toBeNull()
    expect(answer(500, failure('Internal error'))).toContain('answers 500')
    expect(answer(409, failure('Conflict'))).toContain('answers 409')
    expect(answer(404, failure('Gone'))).toContain('says "Gone"')
    expect(answer(404, { ...failure('Not found'), result: {} })).toContain('additional properties')
    expect(answer(404, { success: false, message: null, error: { message: 'Not found' } })).toContain(
      'explains nothing',
    )
    expect(answer(200, { success: true, message: { message: 'Successful request' }, error: null })).toContain('result')
    expect(answer(404, failure('Not found'), { 'content-type': 'text/html' })).toContain('text/html')
    expect(answer(404, failure('Not found'), { ratelimit: undefined as never })).toContain('without ratelimit')
  })
})
