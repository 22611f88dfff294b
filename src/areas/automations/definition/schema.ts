// The published schema of definitions, for editors: the contract's own, with each thing that a step can do spelt out.
import { once } from '../../../kit/once.ts'
import { ownAutomations } from '../contract.ts'
import { inputSchemaOf, stepOperations } from './deeds.ts'
import type { Schema } from './json_types.ts'
import { deedOf, shorthands } from './shorthands.ts'

const published = once((): object => {
  const { properties, required = [] } = copyOf(ownAutomations.operations['automations.post'].body) as Body
  const { workspaceId: _, steps, ...others } = properties
  const words = { description: 'The id of an operation, or a shorter word.', anyOf: [...shorter(), ...whole()] }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Automation',
    description: 'When one of the triggers fires and the condition holds, the steps are done within the grants.',
    type: 'object',
    properties: { ...others, steps: withWords(steps ?? {}) },
    required: required.filter(name => name !== 'workspaceId'),
    additionalProperties: false,
    $defs: { do: words },
  }
})

type Body = { properties: Record<string, Schema>; required?: string[] }

/** JSON Schema (2020-12) of what `automations.post` takes, but for the workspace. */
export function definitionSchema(): object {
  return published()
}

/** What a step can do that is no operation, or is a shorter word for one. */
export function shorthandList(): { do: string; operation: string | null; about: string; input: object }[] {
  return Object.entries(shorthands).map(([word, { operation, about }]) => {
    const deed = deedOf(word)
    return { do: word, operation, about, input: copyOf(deed ? inputSchemaOf(deed) : {}) }
  })
}

/** Plain JSON: what the builder of schemas hangs on them is no part of them. */
function copyOf(schema: object): object {
  return JSON.parse(JSON.stringify(schema))
}

function shorter() {
  return Object.entries(shorthands).map(([word, { about }]) => ({ const: word, description: about }))
}

function whole() {
  return [...stepOperations()].map(([id, { summary }]) => ({ const: id, description: summary }))
}

/** At each level, as far as they are nested. */
function withWords(list: Schema): Schema {
  const { items } = list
  if (!items?.properties) return list
  const { do: given, steps, else: otherwise, ...fields } = items.properties
  const inside = {
    ...(steps && { steps: withWords(steps) }),
    ...(otherwise && { else: withWords(otherwise) }),
  }
  const does = { $ref: '#/$defs/do', description: given?.description }
  return { ...list, items: { ...items, properties: { ...fields, do: does, ...inside } } }
}
