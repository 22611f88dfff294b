// What a step takes, gives and needs.
import type { Operation } from '../../../contract/operation.ts'
import type { Scope } from '../../../contract/scopes.ts'
import { isTool, toolNameOf } from '../../../contract/tools.ts'
import { once } from '../../../kit/once.ts'
import { operation as lookUp, operations } from '../../../operations.ts'
import { oneOf, type Schema, unknown } from './json_types.ts'
import { didYouMean } from './near.ts'
import { type Deed, inputOf, isStep, shorthands } from './shorthands.ts'

/** Every operation that can be a step, by id. */
export const stepOperations = once(
  (): ReadonlyMap<string, Operation> => new Map(Object.entries(operations).filter(([, one]) => isStep(one))),
)

/** What `do` must be instead. */
export function doFault(word: string): string {
  if (lookUp(word)) {
    return `something that a step can do: ${word} is for people, files or protocols alone, or not for automations`
  }
  const known = [...Object.keys(shorthands), ...stepOperations().keys()]
  return `the id of an operation, or a word such as create_issue${didYouMean(word, known)}`
}

const inputs = new Map<string, Schema>()

export function inputSchemaOf(deed: Deed): Schema {
  if (deed.kind === 'own') return (deed.shorthand.input as Schema | undefined) ?? unknown
  const known = inputs.get(deed.id) ?? (inputOf(deed.operation) as unknown as Schema)
  inputs.set(deed.id, known)
  return known
}

/** Of `run_tool`, where the name is written out: the operation that the tool is. */
export type Tool = { id: string; operation: Operation } | { fault: string } | undefined

const toolIds = once(
  (): ReadonlyMap<string, string> =>
    new Map([...stepOperations()].filter(([, one]) => isTool(one)).map(([id]) => [toolNameOf(id), id])),
)

/** Undefined where it shows only when it runs. */
export function toolNamed(name: unknown): Tool {
  if (typeof name !== 'string' || name.includes('{{')) return undefined
  const id = name.startsWith('int.') ? foreignCall : (toolIds().get(name) ?? name)
  const operation = stepOperations().get(id)
  if (operation) return { id, operation }
  const near = didYouMean(name, toolIds().keys())
  return { fault: `the name of a tool that automations may call, such as issues_list or int.docs.search${near}` }
}

/** Of a tool of another server, only that server knows what it takes. */
export const foreignCall = 'integrations.tools.call'

export function outputOf(deed: Deed, tool: Tool): Schema {
  if (deed.kind === 'operation') return resultOf(deed.operation)
  if (deed.word === 'run_tool') return tool && 'operation' in tool ? resultOf(tool.operation) : unknown
  return (deed.shorthand.output as Schema | undefined) ?? unknown
}

function resultOf({ result, also = {} }: Operation): Schema {
  return oneOf([result, ...Object.values(also)] as Schema[])
}

export function needsOf(deed: Deed, tool: Tool): readonly Scope[] {
  if (deed.kind === 'operation') return scopesOf(deed.operation)
  if (deed.word === 'run_tool') return tool && 'operation' in tool ? scopesOf(tool.operation) : []
  return deed.shorthand.needs ?? []
}

function scopesOf({ access }: Operation): readonly Scope[] {
  return typeof access === 'string' ? [] : access
}
