// The settings of embeddings: which endpoint turns texts into numbers, so that memories are found by meaning too.
import { type Static, Type } from 'typebox'
import { nullable, object, timestamp } from '../../../contract/records.ts'
import { sealed } from '../../../contract/sealed.ts'

const fields = {
  baseUrl: nullable(
    Type.String({
      maxLength: 2048,
      description:
        'Of the endpoint that turns texts into numbers, with its version: `/embeddings` is added. It is sent memories ' +
        'that are not private, and what people search for. Private addresses are for the operator to allow.',
      examples: ['https://models.example.com/v1'],
    }),
  ),
  model: nullable(Type.String({ minLength: 1, maxLength: 128, examples: ['embedding-small'] })),
  threshold: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'How near a memory must be to what is searched for to be found by meaning alone. Models differ in it.',
    examples: [0.4],
  }),
}

/** As they are stored. */
export const EmbeddingsSettings = object(fields)

export type EmbeddingsSettings = Static<typeof EmbeddingsSettings>

export const Embeddings = object({
  ...fields,
  isUsed: Type.Boolean({ description: 'Whether searches rank by meaning.' }),
  notUsedBecause: nullable(Type.String({ description: 'Why they do not.' })),
  lastError: nullable(
    Type.String({ description: 'What last went wrong with the endpoint, until it goes well again.' }),
  ),
  lastErrorAt: nullable(timestamp),
})

export type EmbeddingsShown = Static<typeof Embeddings>

export const EmbeddingsGiven = object({
  baseUrl: Type.Optional(fields.baseUrl),
  model: Type.Optional(fields.model),
  threshold: Type.Optional(fields.threshold),
  key: Type.Optional(
    sealed('workspaces.secrets', {
      maxLength: 4096,
      // What a header can hold.
      pattern: '^[!-~]*$',
      description: 'Of the endpoint, where it wants one. An empty text removes it.',
    }),
  ),
})
