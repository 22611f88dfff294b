// The address of a message leads to its place in its thread.
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useCall } from '../../api.ts'
import { Loaded, Page } from '../../parts/page.tsx'
import { useWorkspaceId } from '../../session.ts'
import type { Views } from '../define.ts'

function InItsThread({ id }: { id: string }) {
  const workspaceId = useWorkspaceId()
  const navigate = useNavigate()
  const found = useCall('messages.get', { workspaceId, id })
  const threadId = found.data?.threadId
  useEffect(() => {
    if (!threadId) return
    const to = `/w/${workspaceId}/threads/${threadId}` as '/'
    void navigate({ to, search: { message: id } as never, replace: true })
  }, [threadId, workspaceId, id, navigate])
  return (
    <Page title="Message">
      <Loaded query={found}>{() => null}</Loaded>
    </Page>
  )
}

export const views: Views = { record: InItsThread }
