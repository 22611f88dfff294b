// How entries show: as sentences, with their proof, their export and a page for each.
import { Group, Text } from '@mantine/core'
import { useCall } from '../../api.ts'
import { type Entry, Outcome, Sentence, useTargetNames } from '../../audit/sentence.tsx'
import { indexedAreas } from '../../contract.ts'
import { wordsOf } from '../../format.ts'
import { LinkText } from '../../parts/links.tsx'
import type { RecordChoice } from '../../parts/record_choices.ts'
import { useWorkspaceId } from '../../session.ts'
import type { FilterChoices } from '../../table/filter_editor.tsx'
import { useShownRows } from '../../table/rows.tsx'
import type { CellProps, Views } from '../define.ts'
import { EntryPage } from './entry_page.tsx'
import { ExportButton } from './export_button.tsx'
import { Proof } from './proof.tsx'

function What({ record }: CellProps) {
  const workspaceId = useWorkspaceId()
  const entry = record as Entry
  const names = useTargetNames(useShownRows() as readonly Entry[])
  return (
    <div>
      <Sentence entry={entry} names={names} />
      <Group gap={6}>
        <LinkText to={`/w/${workspaceId}/audit_log/${entry.id}` as '/'} size="xs" underline="hover" c="dimmed" data-row>
          {entry.action}
        </LinkText>
        <Text size="xs" c="dimmed">
          {entry.actor.type} · {entry.actor.surface}
        </Text>
      </Group>
    </div>
  )
}

function OutcomeCell({ record }: CellProps) {
  return <Outcome entry={record as Entry} />
}

function useChoices(): FilterChoices {
  const workspaceId = useWorkspaceId()
  const actions = useCall('audit_logs.actions', { workspaceId })
  const known = (choices: readonly RecordChoice[]) => ({ choices, areas: [] })
  return {
    action: known(
      (actions.data?.actions ?? []).map(({ action, summary }) => ({
        value: action,
        label: `${action} · ${summary}`,
      })),
    ),
    actorId: { choices: [], areas: ['workspace_members'] },
    object: known(indexedAreas.flatMap(({ object }) => (object ? [{ value: object, label: wordsOf(object) }] : []))),
    outcome: known([
      { value: 'success', label: 'Done' },
      { value: 'denied', label: 'Refused' },
    ]),
  }
}

export const views: Views = {
  cells: { action: What, outcome: OutcomeCell },
  above: Proof,
  actions: ExportButton,
  record: EntryPage,
  useChoices,
}
