// What editors of definitions ask: what is wrong with one, and what may stand in it.
import { Type } from 'typebox'
import { WorkspaceId } from '../../../contract/ids.ts'
import { area } from '../../../contract/operation.ts'
import { nullable, object, timestamp } from '../../../contract/records.ts'

const Fault = object({
  path: Type.String({ description: 'Where in the definition.', examples: ['steps.0.with.title'] }),
  rule: Type.String({ examples: ['path'] }),
  expected: Type.String({ examples: ['a path that is there; did you mean trigger.record.title?'] }),
})

export const definitions = area('automations', {
  'automations.check': {
    summary: 'Check a definition without saving it',
    description: 'Everything that is wrong, each with its place, and what an editor wants to know.',
    route: 'POST /v1/automations/{workspaceId}/check',
    words: 'validate lint verify completion next times',
    access: ['automations:read'],
    audit: false,
    path: object({ workspaceId: WorkspaceId }),
    body: object({
      definition: Type.Record(Type.String(), Type.Unknown(), {
        description: 'As for `automations.post`, finished or not.',
        examples: [{ triggers: [{ on: 'manual' }], steps: [{ do: 'wait', with: { seconds: 5 } }], grants: [] }],
      }),
    }),
    result: object({
      faults: Type.Array(Fault),
      needs: Type.Array(Type.String({ description: 'The scopes that the steps use.' })),
      times: Type.Array(
        object({
          trigger: Type.Integer({ minimum: 0 }),
          next: Type.Array(timestamp, { description: 'The next five.' }),
        }),
      ),
      paths: Type.Array(
        object({
          path: Type.String({ examples: ['trigger.record.title'] }),
          type: Type.String({ examples: ['string'] }),
          from: nullable(Type.String({ description: 'The place of the step that gives it.', examples: ['0'] })),
        }),
      ),
    }),
  },
  'automations.schema': {
    summary: 'Get the JSON Schema of definitions',
    description: 'For editors. With each word that a step can name beside operations, and what it stands for.',
    route: 'GET /v1/public/automations/schema',
    words: 'json schema completion editor shorthands',
    access: 'public',
    result: object({
      schema: Type.Record(Type.String(), Type.Unknown()),
      shorthands: Type.Array(
        object({ do: Type.String(), operation: nullable(Type.String()), about: Type.String(), input: Type.Unknown() }),
      ),
    }),
  },
})
