// Whether a definition holds together: every fault with its place, what its steps need, and what they can read.

import { type Standing, scopesLacking } from '../../../contract/permissions.ts'
import { type Scope, scopes } from '../../../contract/scopes.ts'
import { scopesToHear } from '../../events/visibility.ts'
import { eventKinds } from '../../integrations/event_kinds.ts'
import { ownAutomations } from '../contract.ts'
import type { Definition } from '../fields/contract.ts'
import { checkCondition } from './conditions.ts'
import { type Fault, type Faults, newFaults } from './faults.ts'
import { type Schema, unknown } from './json_types.ts'
import { type ReadablePath, readablePaths, type Visible } from './paths.ts'
import { listOf, objectOf } from './reading.ts'
import { checkSteps, idsIn, type Need } from './steps.ts'
import { checkTriggers, triggerSchema } from './triggers.ts'
import { checkValue } from './values.ts'

export type { Fault } from './faults.ts'

export type Checked = { faults: Fault[]; needs: Scope[]; paths: ReadablePath[] }

const { properties } = ownAutomations.operations['automations.post'].body as unknown as Schema & {
  properties: Readonly<Record<string, Schema>>
}

/** As `automations.post` takes it, but for its name, which is no part of what it does; steps are gone through apart. */
const definitionSchema: Schema = {
  type: 'object',
  properties: { ...properties, steps: { ...properties.steps, items: unknown } },
  required: ['triggers', 'steps', 'grants'],
  additionalProperties: false,
}

const time: Schema = { type: 'string', format: 'date-time' }
const text: Schema = { type: 'string' }

/**
 * It takes whatever JSON there is, finished or not, and never throws. With `caller`, grants that they do not hold have
 * the rule `held`.
 */
export function checkDefinition(definition: Definition, caller?: Pick<Standing, 'scopes' | 'role'>): Checked {
  const faults = newFaults()
  const given = objectOf(definition) ?? {}
  checkValue(given, definitionSchema, '', { faults })
  const triggers = listOf(given.triggers)
  checkTriggers(triggers, faults)
  const visible = visibleAtFirst(triggers, listOf(given.steps))
  if (typeof given.condition === 'string') checkCondition(visible, given.condition, 'condition', faults)
  const needs = needsToHear(triggers)
  const walking = { faults, needs, ids: new Map<string, string>(), count: { steps: 0 } }
  const atEnd = checkSteps(listOf(given.steps), 'steps', visible, walking)
  checkGrants(listOf(given.grants), needs, caller, faults)
  const needed = new Set(needs.map(({ scope }) => scope))
  return { faults: faults.all, needs: scopes.filter(scope => needed.has(scope)), paths: readablePaths(atEnd) }
}

/** Of events that are named whole. A part such as `issues.*` hears of those that it is granted to read. */
function needsToHear(triggers: readonly unknown[]): Need[] {
  return triggers.flatMap((trigger, index) => {
    const { on, event } = objectOf(trigger) ?? {}
    const does = on === 'issue.matched' ? 'issues.post' : on === 'event' ? event : null
    if (typeof does !== 'string' || !eventKinds.has(does)) return []
    return scopesToHear(does).map(scope => ({ scope, place: `triggers.${index}`, does }))
  })
}

function visibleAtFirst(triggers: readonly unknown[], steps: readonly unknown[]): Visible {
  const roots = {
    trigger: triggerSchema(triggers),
    automation: { type: 'object', properties: { id: text, name: text }, additionalProperties: false },
    workspace: { type: 'object', properties: { id: text }, additionalProperties: false },
    now: time,
  }
  return { roots, steps: new Map(), everyStep: new Set(idsIn(steps)) }
}

function checkGrants(
  grants: readonly unknown[],
  needs: readonly Need[],
  caller: Pick<Standing, 'scopes' | 'role'> | undefined,
  faults: Faults,
): void {
  const missing = new Set(needs.map(({ scope }) => scope).filter(scope => !grants.includes(scope)))
  for (const scope of missing) {
    const users = needs.filter(need => need.scope === scope).map(({ place, does }) => `${place} (${does})`)
    const others = users.length > 3 ? ` and ${users.length - 3} more` : ''
    faults.add('grants', 'grant', `a list with ${scope}, which ${users.slice(0, 3).join(', ')}${others} needs`)
  }
  if (!caller) return
  const known = scopes.filter(scope => grants.includes(scope))
  for (const scope of scopesLacking(caller, known)) {
    faults.add(`grants.${grants.indexOf(scope)}`, 'held', `a scope that you hold yourself: you lack ${scope}`)
  }
}
