// Whose a key is: a person, a team or the workspace itself.
import { Text } from '@mantine/core'
import type { ItemOf } from '../../../../src/client/catalogue.ts'
import type { FieldProps } from '../../form/field.ts'
import { nameOf } from '../../format.ts'
import { useAll } from '../../named.ts'
import { ownerAreas } from '../../parts/people.tsx'
import { useChoiceNames } from '../../parts/record_choices.ts'
import { RecordSelect } from '../../parts/record_select.tsx'
import { useMe, useStanding, useWorkspaceId } from '../../session.ts'
import type { CellProps } from '../define.ts'

/** One call for all rows, and none where all keys are one's own. */
export function Owner({ value }: CellProps) {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const me = useMe()
  const id = String(value)
  const isTeam = id.startsWith('team_')
  const teams = useAll<ItemOf<'teams.list'>>('teams.list', { workspaceId }, { enabled: isTeam && may('teams.list') })
  const isOther = id.startsWith('usr_') && id !== me?.id
  const members = useAll<ItemOf<'workspace_members.list'>>(
    'workspace_members.list',
    { workspaceId },
    { enabled: isOther && may('workspace_members.list') },
  )
  const team = teams.data?.items.find(one => one.id === id)
  const member = members.data?.items.find(({ userId }) => userId === id)
  const isCut = [teams.data, members.data].some(read => read !== undefined && read.count > read.items.length)
  const names = useChoiceNames(ownerAreas, isCut && !team && !member ? [id] : [], false)
  const name = team?.name ?? (member && nameOf(member)) ?? names.get(id)
  return (
    <Text size="sm">
      {name ?? (id === me?.id ? 'You' : id === 'system' ? 'The workspace' : isTeam ? 'A team' : 'Another member')}
    </Text>
  )
}

type OwnersProps = FieldProps & { mine?: string; isNeeded: boolean }

function Owners({ field, value, error, onChange, mine, isNeeded }: OwnersProps) {
  return (
    <RecordSelect
      label={field.label}
      name={field.name}
      withAsterisk={isNeeded}
      {...(field.about && { description: field.about })}
      allowDeselect={!isNeeded && mine === undefined}
      error={error}
      areas={['teams']}
      first={[...(mine ? [{ value: '', label: mine }] : []), { value: 'system', label: 'The workspace' }]}
      value={typeof value === 'string' ? value : ''}
      onChange={onChange}
    />
  )
}

export function OwnerChoice(props: FieldProps) {
  return <Owners {...props} isNeeded />
}

/** From the start: a key of a team stays when its maker leaves. */
export function NewOwner(props: FieldProps) {
  return <Owners {...props} mine="Me" isNeeded={false} />
}
