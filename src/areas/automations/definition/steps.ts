// The steps of a definition, one after the other: each is looked at with what can be read where it stands.

import type { Scope } from '../../../contract/scopes.ts'
import { Step } from '../fields/contract.ts'
import { checkCondition } from './conditions.ts'
import { doFault, foreignCall, inputSchemaOf, needsOf, outputOf, type Tool, toolNamed } from './deeds.ts'
import type { Faults } from './faults.ts'
import { partOf, type Schema, typeOfValue, unknown } from './json_types.ts'
import { checkTemplateAt, type Given, schemaOfTemplate, type Visible } from './paths.ts'
import { listOf, objectOf } from './reading.ts'
import { type Deed, deedOf } from './shorthands.ts'
import { checkValue } from './values.ts'

type Fields = Readonly<Record<string, unknown>>

export type Need = { scope: Scope; place: string; does: string }

export type Walking = { faults: Faults; needs: Need[]; ids: Map<string, string>; count: { steps: number } }

/** As deep as the schema of a definition goes. */
const deepest = 3
const mostSteps = 100

/** Lists of steps are gone through here, so that each fault in them is told once. */
const someSteps: Schema = { type: 'array', minItems: 1, maxItems: 20, items: unknown }
const stepSchema: Schema = {
  ...(Step as unknown as Schema),
  properties: { ...(Step as unknown as Schema).properties, steps: someSteps, else: someSteps },
}

/** What can be read behind the last of them. */
export function checkSteps(
  steps: readonly unknown[],
  place: string,
  visible: Visible,
  walking: Walking,
  depth = 1,
): Visible {
  let here = visible
  for (const [index, one] of steps.entries()) {
    walking.count.steps++
    if (walking.count.steps === mostSteps + 1) {
      walking.faults.add('steps', 'maxItems', `at most ${mostSteps} steps in all, with those inside others`)
    }
    if (walking.count.steps > mostSteps) return here
    const at = `${place}.${index}`
    checkValue(one, stepSchema, at, { faults: walking.faults })
    const step = objectOf(one)
    if (step) here = checkStep(step, at, here, walking, depth)
  }
  return here
}

function checkStep(step: Fields, at: string, visible: Visible, walking: Walking, depth: number): Visible {
  const { faults } = walking
  const { do: word, if: condition } = step
  const deed = typeof word === 'string' ? deedOf(word) : undefined
  if (typeof word === 'string' && !deed && isWord(word)) faults.add(`${at}.do`, 'do', () => doFault(word))
  if (typeof condition === 'string') checkCondition(visible, condition, `${at}.if`, faults)
  const given = objectOf(step.with) ?? {}
  const isTool = deed?.kind === 'own' && deed.word === 'run_tool'
  const tool = isTool ? toolNamed(given.name) : undefined
  if (deed) {
    checkShape(step, deed, at, depth, faults)
    if (step.with === undefined || objectOf(step.with)) checkGiven(given, deed, tool, at, visible, faults)
    for (const scope of needsOf(deed, tool)) walking.needs.push({ scope, place: at, does: String(word) })
  }
  const ended = checkInside(step, deed, at, visible, walking, depth)
  const output = deed?.kind === 'own' && deed.word === 'forEach' ? ended : deed ? outputOf(deed, tool) : unknown
  return withStep(step, { output, place: at.slice('steps.'.length) }, at, visible, walking)
}

/** What is no word at all, the schema has told of. */
function isWord(text: string): boolean {
  return text.length >= 2 && text.length <= 64 && /^[a-zA-Z_]+(\.[a-zA-Z_]+)*$/.test(text)
}

const holders: Readonly<Record<string, readonly string[]>> = {
  branch: ['steps', 'else'],
  forEach: ['steps'],
  approve: ['else'],
}

/** Which fields belong to which kind of step. */
function checkShape(step: Fields, deed: Deed, at: string, depth: number, faults: Faults): void {
  const word = deed.kind === 'own' ? deed.word : ''
  const may = Object.hasOwn(holders, word) ? (holders[word] ?? []) : []
  for (const name of ['steps', 'else']) {
    if (step[name] === undefined || may.includes(name)) continue
    const owners = Object.keys(holders).filter(one => holders[one]?.includes(name))
    faults.add(`${at}.${name}`, 'belongs', `absent: it belongs to ${owners.join(' or ')}`)
  }
  if (depth >= deepest && (may.includes('steps') || (may.length > 0 && step.else !== undefined))) {
    faults.add(`${at}.do`, 'depth', 'something that holds no steps: they stand at most three lists deep')
    return
  }
  if (may.includes('steps') && step.steps === undefined) faults.add(`${at}.steps`, 'required', 'present')
  if (word !== 'branch') return
  if (step.if === undefined) faults.add(`${at}.if`, 'required', 'present')
  for (const name of ['retry', 'timeoutSeconds']) {
    if (step[name] !== undefined) faults.add(`${at}.${name}`, 'belongs', 'absent: a branch itself does nothing')
  }
}

const ownWorkspace = 'absent: a step works in the workspace of its automation'

function checkGiven(given: Fields, deed: Deed, tool: Tool, at: string, visible: Visible, faults: Faults): void {
  const asTemplate = (text: string, schema: Schema, path: string, told: Faults) =>
    checkTemplateAt(visible, text, schema, path, told)
  const looking = { faults, asTemplate }
  const place = `${at}.with`
  checkValue(withoutWorkspace(given, place, faults), inputSchemaOf(deed), place, looking)
  if (!tool) return
  if ('fault' in tool) {
    faults.add(`${place}.name`, 'tool', tool.fault)
    return
  }
  const args = objectOf(given.args ?? {})
  if (!args || tool.id === foreignCall) return
  const input = inputSchemaOf({ kind: 'operation', ...tool })
  checkValue(withoutWorkspace(args, `${place}.args`, faults), input, `${place}.args`, looking)
}

function withoutWorkspace(given: Fields, place: string, faults: Faults): Fields {
  const { workspaceId, ...rest } = given
  if (workspaceId !== undefined) faults.add(`${place}.workspaceId`, 'belongs', ownWorkspace)
  return rest
}

/**
 * The lists inside a step: what stands in one is read there only. Gives what a forEach gives: a list of what the last
 * step in it gave, of nulls where that has no id.
 */
function checkInside(
  step: Fields,
  deed: Deed | undefined,
  at: string,
  visible: Visible,
  walking: Walking,
  depth: number,
): Schema {
  const isEach = deed?.kind === 'own' && deed.word === 'forEach'
  const { roots } = visible
  const own = (): Record<string, Schema> => ({
    item: itemOf(objectOf(step.with)?.items, visible),
    index: { type: 'integer' },
  })
  const inside: Visible = isEach ? { ...visible, roots: { ...roots, ...own() } } : visible
  // Deeper ones are refused as they are; to go through them would have no end.
  if (depth >= deepest) return unknown
  const steps = listOf(step.steps)
  const last = checkSteps(steps, `${at}.steps`, inside, walking, depth + 1)
  checkSteps(listOf(step.else), `${at}.else`, visible, walking, depth + 1)
  const id = objectOf(steps.at(-1))?.id
  const items = typeof id === 'string' ? (last.steps.get(id)?.output ?? unknown) : { type: 'null' }
  return { type: 'array', items }
}

/** Of a list that is written out: its type, where all are of one. */
function itemOf(items: unknown, visible: Visible): Schema {
  if (typeof items === 'string') return partOf(schemaOfTemplate(visible, items), '0') ?? unknown
  const types = new Set(listOf(items).map(typeOfValue))
  const isPlain = listOf(items).every(one => typeof one !== 'object' && !String(one).includes('{{'))
  return isPlain && types.size === 1 ? { type: [...types] } : unknown
}

function withStep(step: Fields, given: Given, at: string, visible: Visible, { ids, faults }: Walking): Visible {
  const { id } = step
  if (typeof id !== 'string' || !/^[a-zA-Z]\w{0,31}$/.test(id)) return visible
  const before = ids.get(id)
  if (before !== undefined) {
    faults.add(`${at}.id`, 'unique', `an id that no other step has: ${before} has it`)
    return visible
  }
  ids.set(id, at)
  return { ...visible, steps: new Map([...visible.steps, [id, given]]) }
}

/** Every id, wherever the step stands. */
export function idsIn(steps: readonly unknown[], depth = 1): string[] {
  if (depth > deepest) return []
  return steps.flatMap(one => {
    const step = objectOf(one)
    const inside = [...listOf(step?.steps), ...listOf(step?.else)]
    return [...(typeof step?.id === 'string' ? [step.id] : []), ...idsIn(inside, depth + 1)]
  })
}
