// Carries out what editors of definitions ask.
import { implement } from '../../../kit/implement.ts'
import type { Definition, Trigger } from '../fields/contract.ts'
import { checkDefinition } from './checking.ts'
import { definitions } from './contract.ts'
import { definitionSchema, shorthandList } from './schema.ts'
import { cronFault, nextTimes, zoneFault } from './times.ts'
import { usual } from './usual.ts'

export default implement(definitions, {
  'automations.check': async ({ caller, now }, { definition }) => {
    const { faults, needs, paths } = checkDefinition({ ...usual, ...definition } as Definition, caller)
    const triggers = Array.isArray(definition.triggers) ? (definition.triggers as Trigger[]) : []
    const times = triggers.flatMap((trigger, place) => {
      const { on, cron, timezone = 'UTC' } = trigger ?? {}
      if (on !== 'schedule' || typeof cron !== 'string' || typeof timezone !== 'string') return []
      if (cronFault(cron) !== null || zoneFault(timezone) !== null) return []
      return [{ trigger: place, next: nextTimes(cron, timezone, now(), 5).map(at => at.toISOString()) }]
    })
    return { faults, needs, times, paths }
  },

  'automations.schema': async () => ({
    schema: definitionSchema() as Record<string, unknown>,
    shorthands: shorthandList(),
  }),
})
