// How integrations show: their state, the catalogue, and the page of one with what its type has.
import { Text } from '@mantine/core'
import { FlaskConical, Play, RotateCw } from 'lucide-react'
import { wordsOf } from '../../format.ts'
import { ownerAreas } from '../../parts/people.tsx'
import type { CellProps, Views } from '../define.ts'
import { typeIn, useCatalog } from './catalog.ts'
import { NewIntegration } from './new_integration.tsx'
import { NextSteps } from './next_steps.tsx'
import { IntegrationPage } from './record.tsx'
import { CallDialog, TestDialog } from './run.tsx'
import { Notice, presets, StatusCell } from './state.tsx'

function Type({ value }: CellProps) {
  const type = typeIn(useCatalog().data, value)
  return (
    <Text size="sm" className="atrium-nowrap">
      {type?.title ?? wordsOf(String(value))}
    </Text>
  )
}

function EventsCell({ value }: CellProps) {
  const events = (value ?? []) as string[]
  const [first, ...others] = events
  return (
    <Text size="sm" {...(first ? { ff: 'monospace' } : { c: 'dimmed' })}>
      {first ? `${first}${others.length > 0 ? ` +${others.length}` : ''}` : '–'}
    </Text>
  )
}

/** What has a secret of ours: a webhook signs with it, an address holds it. */
const hasSecret = ({ type, inboundUrl }: Readonly<Record<string, unknown>>) => type === 'webhook' || inboundUrl !== null

export const views: Views = {
  cells: { type: Type, status: StatusCell, events: EventsCell },
  notice: Notice,
  secretUse: NextSteps,
  form: NewIntegration,
  record: ({ id }) => <IntegrationPage id={id} views={views} />,
  presets,
  acts: {
    test: { icon: FlaskConical, dialog: TestDialog },
    call: { icon: Play, dialog: CallDialog, isOffered: ({ type }) => type === 'custom' },
    rotateSecret: {
      label: 'Rotate the secret',
      icon: RotateCw,
      about:
        'A webhook is signed with a new secret, an address gets a new token. The old one goes on for a while, so that nothing is lost.',
      fields: [
        {
          name: 'overlapHours',
          label: 'The old one works for (hours)',
          about: '0 to 168; with 0 it stops at once.',
          start: 24,
        },
      ],
      isOffered: hasSecret,
    },
    // It stands with the deliveries.
    backfill: { isHidden: true },
    del: {
      about: 'What waits to be sent is not sent, and its address takes nothing any more. This cannot be taken back.',
    },
  },
  useChoices: () => ({ ownerId: { choices: [], areas: ownerAreas } }),
}
