// Scripts: deterministic steps in place of a model, so that an installation without one can run everything.
import { type Static, Type } from 'typebox'
import { object, shown } from '../../../../contract/records.ts'

const text = shown(Type.String({ minLength: 1, maxLength: 20_000, examples: ['Looking at the pool.'] }), {
  format: 'markdown',
})
const named = Type.String({ pattern: '^[a-zA-Z][a-zA-Z0-9_]{0,31}$', examples: ['issues'] })

const plain = {
  say: Type.Optional(text),
  call: Type.Optional(
    object({
      operation: Type.String({ maxLength: 64, examples: ['issues.list'] }),
      input: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { examples: [{ perPage: 5 }] })),
    }),
  ),
  as: Type.Optional({ ...named, description: 'With `call`: what `expect` calls its answer.' }),
  expect: Type.Optional(
    shown(
      Type.String({
        maxLength: 2000,
        description: 'CEL over what `as` named: `{status, result, error}` of each call; false ends the run as failed.',
        examples: ['issues.result.count > 0'],
      }),
      { format: 'cel' },
    ),
  ),
  ask: Type.Optional(
    object({
      question: Type.String({ minLength: 1, maxLength: 2000, examples: ['Shall I go on?'] }),
      options: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { maxItems: 10 })),
    }),
  ),
}

const PlainStep = object(plain)

/** One of `say`, `call`, `expect`, `hypothesis`, `ask`. */
export const Step = object({
  ...plain,
  hypothesis: Type.Optional(
    object({
      statement: Type.String({ minLength: 1, maxLength: 1000, examples: ['The pool is exhausted'] }),
      steps: Type.Optional(Type.Array(PlainStep, { maxItems: 50, examples: [[{ say: 'Looking.' }]] })),
    }),
  ),
})

export const Steps = Type.Array(Step, {
  minItems: 1,
  maxItems: 100,
  description: 'Each one of `say`, `call`, `expect`, `hypothesis`, `ask`.',
  examples: [[{ say: 'Looking at the pool.' }]],
})

export type Step = Static<typeof Step>
