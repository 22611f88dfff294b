// Patterns and arguments that users write: what would take long is refused, and never decides in favour of a call.
import { describe, expect, it } from 'vitest'
import type { ArgRule } from '../src/contract/tool_policy.ts'
import { faultOf, modeByArguments } from '../src/kit/arg_rules.ts'
import { patternOf } from '../src/kit/patterns.ts'
import { parametersFault, refuseArguments } from '../src/kit/text_arguments.ts'

const slow = '(?:a|ab){0,999}'.repeat(10)
const long = 'a'.repeat(50_000)

describe('patterns', () => {
  it.each([
    '^[a-z0-9]+(-[a-z0-9]+)*$',
    '^(\\d{1,3}\\.){3}\\d{1,3}$',
    '\\x{1234}\\{999}[{999}]\\Q{999}\\E',
    '^[0-9a-f]{40}$',
  ])('are taken: %s', pattern => {
    expect(patternOf(pattern)).toHaveProperty('regex')
  })

  it.each([
    slow,
    'a{0,1000}'.repeat(15),
    'a{65}',
    'a{2}'.repeat(5),
    '((ab){0,8}c){0,9}',
    '(?:(a{9})){9}',
    '[\\\\]{99}[x]',
    '\\Q[\\Ea{99}]',
    `(${'ab?'.repeat(60)}){64}`,
    'a'.repeat(201),
    '(?=a)',
  ])('are refused: %s', pattern => {
    expect(patternOf(pattern)).toEqual({ fault: expect.stringMatching(/^a regular expression \(RE2\)/) })
  })
})

describe('rules on arguments', () => {
  const rule = (mode: ArgRule['mode'], value = '^a+$'): ArgRule => ({
    path: 'x',
    op: 'matches',
    value,
    mode,
    kind: null,
  })

  it('are strict where it would take too long to tell', () => {
    expect(faultOf(rule('deny', slow))).toMatch(/counted repeats/)
    for (const [value, x] of [
      ['^a+$', long],
      [slow, 'b'],
    ] as const) {
      expect(modeByArguments('allow', [rule('deny', value)], null, { x })).toBe('deny')
      expect(modeByArguments('allow', [rule('approve', value)], null, { x })).toBe('approve')
      expect(modeByArguments('approve', [rule('allow', value)], null, { x })).toBe('approve')
    }
    expect(modeByArguments('approve', [rule('allow')], null, { x: 'aa' })).toBe('allow')
  })
})

describe('arguments as texts', () => {
  const schema = (x: object) => ({ type: 'object', properties: { x } })

  it('are refused with 400 where the pattern or the text would take long', () => {
    expect(parametersFault(schema({ pattern: slow }), 16_384)).toMatch(/`pattern` of "x".*counted repeats/)
    const refused = (pattern: string, x: string) => () => refuseArguments(schema({ pattern }), { x })
    expect(refused('^a+$', long)).toThrow(/at most \d+ characters/)
    expect(refused(slow, 'b')).toThrow(/another pattern/)
    expect(refused('^a+$', 'aaa')).not.toThrow()
  })

  it('are refused with 400 where they are nested deeply', () => {
    const deep = '['.repeat(20_000) + ']'.repeat(20_000)
    expect(() => refuseArguments(schema({ type: 'array', enum: [[]] }), { x: deep })).toThrow(/must be an array/)
  })
})
