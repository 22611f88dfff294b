// The settings of agents: who carries out runs, which model the built-in runner asks, and how much it may use.
import { type Static, Type } from 'typebox'
import { choice, nullable, object } from '../../../contract/records.ts'
import { sealed } from '../../../contract/sealed.ts'

const price = (of: string) =>
  nullable(
    Type.Number({
      minimum: 0,
      maximum: 100_000,
      description: `What a million tokens that it ${of} cost.`,
      examples: [3],
    }),
  )
const cost = (span: string) =>
  nullable(
    Type.Number({
      minimum: 0,
      maximum: 1_000_000_000,
      description: `In the money of the prices, which it needs: what ${span} may cost.`,
      examples: [5],
    }),
  )
const tokens = (span: string) =>
  nullable(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000_000,
      description: `Tokens read and written together by ${span}.`,
      examples: [1_000_000],
    }),
  )

export const agentFields = {
  runner: nullable(choice(['builtin', 'external'], { description: 'Who carries out runs, where a run does not say.' })),
  wire: choice(['openai', 'anthropic'], {
    description: 'How the model endpoint is asked: `/chat/completions` or `/messages` under `baseUrl`.',
  }),
  baseUrl: nullable(
    Type.String({
      maxLength: 2048,
      description: 'Of the model endpoint, with its version. Private addresses are for the operator to allow.',
      examples: ['https://models.example.com/v1'],
    }),
  ),
  model: nullable(Type.String({ minLength: 1, maxLength: 128, examples: ['large-1'] })),
  priceIn: price('reads'),
  priceOut: price('writes'),
  maxOutputTokens: Type.Integer({ minimum: 1, maximum: 200_000, description: 'Of one answer of the model.' }),
  maxStepsPerRun: Type.Integer({ minimum: 1, maximum: 1_000, description: 'How often a run asks the model.' }),
  maxTokensPerRun: tokens('one run'),
  maxMinutesPerRun: Type.Integer({
    minimum: 1,
    maximum: 1_440,
    description: 'Without the time that it waits for people.',
  }),
  maxCostPerRun: cost('one run'),
  maxRunsPerDay: nullable(Type.Integer({ minimum: 0, maximum: 1_000_000, examples: [1_000] })),
  maxTokensPerDay: tokens('all runs of 24 hours'),
  maxCostPerDay: cost('all runs of 24 hours'),
}

const key = sealed('workspaces.secrets', {
  maxLength: 4096,
  // What a header can hold.
  pattern: '^[!-~]*$',
  description: 'Of the model endpoint, where it wants one. An empty text removes it.',
})

const Agent = object(agentFields)

export type AgentSettings = Static<typeof Agent>

export const AgentGiven = object({
  ...(Type.Partial(Agent).properties as {
    [K in keyof typeof agentFields]: ReturnType<typeof Type.Optional<(typeof agentFields)[K]>>
  }),
  key: Type.Optional(key),
})
