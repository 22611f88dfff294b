// Whether a script can be carried out: each step is one thing, calls what is there, and expects what was named.
import { Type } from 'typebox'
import { refused } from '../../../../contract/errors.ts'
import { isTool } from '../../../../contract/tools.ts'
import { checkedField } from '../../../../kit/cel.ts'
import { operation as lookUp } from '../../../../operations.ts'
import type { Step } from './contract.ts'

const deeds = ['say', 'call', 'expect', 'hypothesis', 'ask'] as const

type Deed = (typeof deeds)[number]

export function deedOf(step: Step): Deed | undefined {
  return deeds.find(deed => step[deed] !== undefined)
}

/** 400 that names the step. */
export function checkSteps(steps: readonly Step[], path = 'steps'): void {
  const named = new Set<string>(['answer'])
  steps.forEach((step, index) => {
    const at = `${path}.${index}`
    if (deeds.filter(deed => step[deed] !== undefined).length !== 1) {
      throw refused(at, 'one', `one of ${deeds.join(', ')}`)
    }
    if (step.as !== undefined && !step.call) throw refused(`${at}.as`, 'call', 'beside "call"')
    if (step.call) checkCall(step.call.operation, at)
    if (step.expect !== undefined) checkedField(`${at}.expect`, step.expect, rootsOf(named))
    if (step.hypothesis?.steps) checkSteps(step.hypothesis.steps, `${at}.hypothesis.steps`)
    if (step.as !== undefined) named.add(step.as)
  })
}

function checkCall(id: string, at: string): void {
  const operation = lookUp(id)
  if (!operation || !isTool(operation))
    throw refused(`${at}.call.operation`, 'operation', 'an operation that can be a tool')
}

/** What `expect` can read: anything that was named before it. */
export function rootsOf(named: Iterable<string>) {
  return Type.Object(Object.fromEntries([...named].map(name => [name, Type.Unknown()])))
}
