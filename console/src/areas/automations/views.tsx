// How automations show: in the list, from templates, in the builder, and with what they did.
import { Play, RotateCw } from 'lucide-react'
import { whenNeeded } from '../../lazily.tsx'
import { Rows } from '../../parts/page.tsx'
import { ownerAreas } from '../../parts/people.tsx'
import type { Views } from '../define.ts'
import type { Automation } from './automation.ts'
import { HookUse } from './hook_use.tsx'
import { useMoves } from './moving.ts'
import { AutomationPage } from './record.tsx'
import { StartDialog } from './start.tsx'
import { EnabledCell, LastCell, NextCell, Notice, presets, StatsCell, TriggersCell } from './state.tsx'

const NewAutomation = whenNeeded(
  'NewAutomation',
  async () => (await import('./new_automation.tsx')).NewAutomation,
  () => <Rows />,
)

/** Nothing to see: the list is read again when an execution moves. */
function Moves() {
  useMoves(null, ['automations.list'])
  return null
}

export const views: Views = {
  cells: {
    enabled: EnabledCell,
    triggers: TriggersCell,
    nextRunAt: NextCell,
    lastExecution: LastCell,
    stats7d: StatsCell,
  },
  notice: Notice,
  above: Moves,
  form: NewAutomation,
  record: ({ id }) => <AutomationPage id={id} views={views} />,
  secretUse: HookUse,
  presets,
  acts: {
    trigger: {
      label: 'Start',
      icon: Play,
      dialog: StartDialog,
      isOffered: record => (record as Automation).triggers.some(({ on }) => on === 'manual'),
    },
    rotateHook: {
      label: 'New webhook address',
      icon: RotateCw,
      about: 'It gets another address and another secret. The old ones end at once: tell every sender the new ones.',
      isOffered: ({ hookUrl }) => hookUrl !== null,
    },
    // It stands under Test.
    dryRun: { isHidden: true },
    del: {
      about:
        'Its history goes with it, and what is under way is cancelled. To keep it from running only, disable it instead.',
    },
  },
  useChoices: () => ({ ownerId: { choices: [], areas: ownerAreas } }),
}
