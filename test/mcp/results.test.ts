// What a model reads when a call has failed: what went wrong, and what to do about it.
import { describe, expect, it } from 'vitest'
import { type OperationTool, toolsOf } from '../../src/contract/tools.ts'
import { mostBytes, resultOf } from '../../src/mcp/results.ts'
import { operations } from '../../src/operations.ts'
import { textOf } from '../helpers/mcp.ts'

const tool = toolsOf(operations).find(({ id }) => id === 'api_keys.patch') as OperationTool

function told(status: number, message: string, more: object = {}) {
  const result = resultOf(tool, { status, text: JSON.stringify({ success: false, error: { message, ...more } }) })
  expect(result.isError).toBe(true)
  return textOf(result)
}

describe('a failed call', () => {
  it.each<[number, string, object, string]>([
    [
      400,
      'Bad Request',
      {
        metadata: {
          issues: [
            { path: 'name', expected: 'text' },
            { path: 'scopes', expected: 'a list' },
          ],
        },
      },
      'api_keys.patch failed: Bad Request (400). "name" expects text; "scopes" expects a list. Correct the arguments and call again; required: id; optional: ',
    ],
    [401, 'Unauthorized', {}, 'a person must connect again with a new one'],
    [
      403,
      'Forbidden',
      { detail: 'No.', metadata: { reason: 'scope', missing: ['api_keys:write'] } },
      'No. Do not try again: ask for a credential with api_keys:write, from somebody who holds it.',
    ],
    [403, 'Forbidden', { metadata: { reason: 'policy', missing: [] } }, 'Do not try again with this credential.'],
    [404, 'Not found', {}, 'Check the ids; api_keys can be listed.'],
    [409, 'Conflict', {}, 'Read the record as it is now before you change it again.'],
    [429, 'Too many requests', {}, 'Wait a minute before the next call.'],
    [500, 'Internal error', { metadata: { requestId: 'req_1' } }, 'Try once more in a moment; report it as req_1.'],
    [503, 'Unavailable', {}, 'Try once more in a moment.'],
  ])('with %i says what to do', (status, message, more, expected) => {
    expect(told(status, message, more)).toContain(expected)
  })

  it('says so where the answer is no answer of the platform', () => {
    const result = resultOf(tool, { status: 502, text: '<html>' })
    expect(result.isError).toBe(true)
    expect(textOf(result)).toContain(
      'The answer of api_keys.patch (status 502) is not JSON; call it over REST instead.',
    )
  })
})

it('a result that is too long and no list is refused with its size, since half of it is wrong', () => {
  const result = resultOf(tool, {
    status: 200,
    text: JSON.stringify({ success: true, result: { text: 'x'.repeat(mostBytes) } }),
  })
  expect(result.isError).toBe(true)
  expect(textOf(result)).toMatch(/has 65\d{3} bytes, more than the 65536 that a tool gives\. Ask for less/)
})
