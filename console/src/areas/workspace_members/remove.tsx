// Removes a member, or leaves: says first what goes along, by asking the service without doing it.
import { Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { ItemOf } from '../../../../src/client/catalogue.ts'
import { useAct } from '../../api.ts'
import { countOf, nameOf } from '../../format.ts'
import type { Row } from '../../named.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Rows } from '../../parts/page.tsx'
import { done } from '../../parts/toast.tsx'
import { useMe } from '../../session.ts'

export function Remove({ record, onClose }: { record: Row; onClose: () => void }) {
  const member = record as ItemOf<'workspace_members.list'>
  const me = useMe()
  const navigate = useNavigate()
  const isMe = member.userId === me?.id
  const { workspaceId, userId } = member
  const preview = useAct('workspace_members.del')
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once, when it opens
  useEffect(() => preview.mutate({ workspaceId, userId, preview: true }), [])
  const act = useAct('workspace_members.del', {
    touches: ['workspaces', 'api_keys', 'teams'],
    onDone: () => {
      onClose()
      done(isMe ? 'You have left the workspace.' : 'The member is removed.')
      void navigate(isMe ? { to: '/' } : { to: `/w/${workspaceId}/members` as '/' })
    },
  })
  const along = preview.data?.takesAlong
  return (
    <Confirm
      opened
      onClose={onClose}
      title={isMe ? 'Leave the workspace?' : `Remove ${nameOf(member)}?`}
      label={isMe ? 'Leave' : 'Remove'}
      act={{ isPending: act.isPending, error: act.error ?? preview.error }}
      onAct={() => act.mutate({ workspaceId, userId })}
    >
      {preview.isPending && <Rows count={2} height={18} />}
      {along && (
        <Text size="sm">
          {along.apiKeys.length > 0
            ? `These keys stop at once: ${along.apiKeys.map(({ name }) => name).join(', ')}.`
            : 'No key stops.'}{' '}
          {along.teams.length > 0 && `Teams left: ${along.teams.map(({ name }) => name).join(', ')}. `}
          {along.invites > 0 && `${countOf(along.invites, 'invite')} revoked.`}
        </Text>
      )}
    </Confirm>
  )
}
