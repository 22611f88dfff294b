// What starts an automation: the fields that belong to each kind of trigger, and what each brings.

import { checkCondition } from './conditions.ts'
import { eventFault, recordHeard, recordOfKind } from './events.ts'
import type { Faults } from './faults.ts'
import { formFault, inputOfForm } from './forms.ts'
import { oneOf, type Schema, unknown } from './json_types.ts'
import { objectOf } from './reading.ts'
import { cronFault, zoneFault } from './times.ts'

type Fields = Readonly<Record<string, unknown>>

/** Kind → its own fields; those that it cannot be without first. */
const fieldsOf: Readonly<Record<string, { needed: readonly string[]; also: readonly string[] }>> = {
  schedule: { needed: ['cron'], also: ['timezone', 'jitterSeconds'] },
  event: { needed: ['event'], also: ['where'] },
  'issue.matched': { needed: ['where'], also: [] },
  webhook: { needed: [], also: ['signed'] },
  manual: { needed: [], also: ['form'] },
}

/** An address and a form are the automation's: it has one of each. */
const onlyOnce = ['webhook', 'manual']

export function checkTriggers(triggers: readonly unknown[], faults: Faults): void {
  const seen = new Map<unknown, number>()
  for (const [index, one] of triggers.entries()) {
    const trigger = objectOf(one)
    const kind = typeof trigger?.on === 'string' && Object.hasOwn(fieldsOf, trigger.on) ? trigger.on : undefined
    if (!trigger || kind === undefined) continue
    const place = `triggers.${index}`
    checkFields(trigger, kind, place, faults)
    checkTimes(trigger, kind, place, faults)
    checkHeard(trigger, kind, place, faults)
    if (kind === 'manual' && trigger.form !== undefined) tell(faults, `${place}.form`, 'form', formFault(trigger.form))
    const before = seen.get(kind)
    if (before !== undefined && onlyOnce.includes(kind)) {
      faults.add(`${place}.on`, 'unique', `another kind: triggers.${before} is of the kind ${kind}, and one is enough`)
    } else seen.set(kind, index)
  }
}

function checkFields(trigger: Fields, kind: string, place: string, faults: Faults): void {
  const { needed = [], also = [] } = fieldsOf[kind] ?? {}
  for (const name of needed) if (trigger[name] === undefined) faults.add(`${place}.${name}`, 'required', 'present')
  for (const name of Object.keys(trigger)) {
    const owner = Object.keys(fieldsOf).filter(one => {
      const own = fieldsOf[one]
      return own?.needed.includes(name) || own?.also.includes(name)
    })
    if (name === 'on' || needed.includes(name) || also.includes(name) || owner.length === 0) continue
    faults.add(`${place}.${name}`, 'belongs', `absent: it belongs to triggers of the kind ${owner.join(' or ')}`)
  }
}

function checkTimes({ cron, timezone }: Fields, kind: string, place: string, faults: Faults): void {
  if (kind !== 'schedule') return
  if (typeof cron === 'string') tell(faults, `${place}.cron`, 'cron', cronFault(cron))
  if (typeof timezone === 'string') tell(faults, `${place}.timezone`, 'timezone', zoneFault(timezone))
}

function checkHeard(trigger: Fields, kind: string, place: string, faults: Faults): void {
  const { event, where } = trigger
  const fault = kind === 'event' && typeof event === 'string' ? eventFault(event) : null
  tell(faults, `${place}.event`, 'event', fault)
  if (typeof where !== 'string' || !['event', 'issue.matched'].includes(kind)) return
  // Whether it starts is asked before there is an execution: the trigger is all that can be read.
  const roots = { trigger: broughtBy(trigger) }
  const nothing = { steps: new Map(), everyStep: new Set<string>() }
  checkCondition({ roots, ...nothing }, where, `${place}.where`, faults)
}

function tell(faults: Faults, path: string, rule: string, expected: string | null): void {
  if (expected !== null) faults.add(path, rule, expected)
}

/** Of `trigger`, whichever of these started it: what one of them brings can be read. */
export function triggerSchema(triggers: readonly unknown[]): Schema {
  const brought = triggers.flatMap<Schema>(one => {
    const trigger = objectOf(one)
    return trigger ? [broughtBy(trigger)] : []
  })
  // While there is none, anything can come.
  return brought.length > 0 ? oneOf(brought) : unknown
}

const time: Schema = { type: 'string', format: 'date-time' }
const text: Schema = { type: 'string' }
const textOrNull: Schema = { type: ['string', 'null'] }

function closed(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', properties, additionalProperties: false }
}

const heard = closed({
  type: text,
  seq: { type: 'integer' },
  at: time,
  actor: closed({ type: text, id: textOrNull, name: textOrNull, callerKind: textOrNull, surface: text }),
  target: { ...closed({ object: text, id: text }), type: ['object', 'null'] },
  changes: { type: 'array', items: closed({ path: text, before: unknown, after: unknown }) },
})

function broughtBy({ on, event, form }: Fields): Schema {
  const always = { on: text, at: time }
  switch (on) {
    case 'schedule':
      return closed({ ...always, isMissed: { type: 'boolean' } })
    case 'event': {
      const record = typeof event === 'string' ? recordHeard(event) : unknown
      return closed({ ...always, event: heard, ...(record && { record }) })
    }
    case 'issue.matched': {
      const record = recordOfKind('issue')
      return closed({ ...always, event: heard, ...(record !== 'none' && { record }) })
    }
    case 'webhook':
      return closed({ ...always, body: unknown })
    case 'manual':
      return closed({ ...always, input: inputOfForm(form) })
    default:
      return unknown
  }
}
