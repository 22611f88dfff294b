// People and teams: who a record is of, or assigned to, by name; and the choice between them.
import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { ItemOf } from '../../../src/client/catalogue.ts'
import { nameOf } from '../format.ts'
import { useAll } from '../named.ts'
import { useMe, useStanding, useWorkspaceId } from '../session.ts'
import { useChoiceNames } from './record_choices.ts'
import { RecordSelect } from './record_select.tsx'

export type Owner = { id: string; name: string; isTeam: boolean }

/** Of which areas an owner or assignee may be: people first. */
export const ownerAreas = ['workspace_members', 'teams'] as const

/**
 * Oneself first, then the other members, then teams: two calls, whoever asks. Where there are more than are read so,
 * those of `wanted` are asked for by their ids.
 */
export function useOwners(wanted: readonly string[] = []): readonly Owner[] {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const me = useMe()
  const isHere = workspaceId !== ''
  const members = useAll<ItemOf<'workspace_members.list'>>(
    'workspace_members.list',
    { workspaceId },
    { enabled: isHere && may('workspace_members.list') },
  )
  const teams = useAll<ItemOf<'teams.list'>>('teams.list', { workspaceId }, { enabled: isHere && may('teams.list') })
  const people = (members.data?.items ?? []).map(member => ({
    id: member.userId,
    name: member.userId === me?.id ? `${nameOf(member)} (you)` : nameOf(member),
    isTeam: false,
  }))
  const known = [
    ...people.filter(({ id }) => id === me?.id),
    ...people.filter(({ id }) => id !== me?.id),
    ...(teams.data?.items ?? []).map(({ id, name }) => ({ id, name: `Team ${name}`, isTeam: true })),
  ]
  const isCut = [members.data, teams.data].some(read => read !== undefined && read.count > read.items.length)
  const missing = isCut ? wanted.filter(one => !known.some(({ id }) => id === one)) : []
  const names = useChoiceNames(ownerAreas, missing)
  return [...known, ...[...names].map(([id, name]) => ({ id, name, isTeam: id.startsWith('team_') }))]
}

export function ownerName(owners: readonly Owner[], id: string | null): string {
  if (id === null) return 'Nobody'
  if (id === 'system') return 'The workspace'
  return owners.find(owner => owner.id === id)?.name ?? unlisted(id)
}

function unlisted(id: string): string {
  if (id.startsWith('oauth_client_')) return 'An application'
  return id.startsWith('team_') ? 'A team' : 'A former member'
}

export function OwnerName({ id }: { id: string | null }) {
  const owners = useOwners(id === null ? [] : [id])
  return (
    <Text span size="sm" {...(id === null && { c: 'dimmed' })}>
      {ownerName(owners, id)}
    </Text>
  )
}

type OwnerFieldProps = {
  label: ReactNode
  value: string
  onChange: (id: string) => void
  error?: ReactNode
  description?: ReactNode
  name?: string
}

export function OwnerField(props: OwnerFieldProps) {
  return <RecordSelect {...props} areas={ownerAreas} clearable clearButtonProps={{ 'aria-label': 'Nobody' }} />
}
