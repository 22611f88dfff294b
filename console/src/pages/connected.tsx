// Back from the authorization server of an MCP server: what it sent along is handed over, once.
import { Stack, Text } from '@mantine/core'
import { Plug } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useAct } from '../api.ts'
import { Failure } from '../parts/failure.tsx'
import { LinkButton } from '../parts/links.tsx'
import { Empty, Page, Rows } from '../parts/page.tsx'
import { type Brought, dropConnected, keptConnected } from './connected_query.ts'

/** By the names that RFC 6749 gives. What a stranger writes beside them is not shown: the link may be anybody's. */
const words: Readonly<Record<string, string>> = {
  access_denied: 'The access was not allowed there.',
  invalid_scope: 'The authorization server does not give what was asked for; look at the scope of the integration.',
  unauthorized_client: 'The authorization server does not let this client in; look at the client of the integration.',
  server_error: 'The authorization server had a fault; try again later.',
  temporarily_unavailable: 'The authorization server cannot answer now; try again later.',
}

export function Connected() {
  const [brought] = useState(keptConnected)
  useEffect(dropConnected, [])
  if (brought?.error) return <Refused brought={brought} error={brought.error} />
  if (brought?.workspaceId && brought.code) return <Finishing brought={brought} />
  return (
    <Page title="Connect">
      <Empty
        icon={Plug}
        title="There is nothing to finish here"
        text="Begin on the page of an integration: press Connect there."
        action={<LinkButton to="/">To the start</LinkButton>}
      />
    </Page>
  )
}

function Refused({ brought, error }: { brought: Brought; error: string }) {
  return (
    <Page title="Not connected" narrow>
      <Stack align="flex-start">
        <Text role="alert">{words[error] ?? 'The authorization server refused it.'} Nothing was changed.</Text>
        <Back workspaceId={brought.workspaceId} />
      </Stack>
    </Page>
  )
}

function Finishing({ brought }: { brought: Brought }) {
  const { workspaceId, state, code, iss } = brought
  const finish = useAct('integrations.oauth.finish')
  const { mutate, data, error, again } = finish
  const isSent = useRef(false)
  useEffect(() => {
    // A code is good for one use, however often the page is drawn.
    if (isSent.current) return
    isSent.current = true
    mutate({ workspaceId, state, code, ...(iss !== undefined && { iss }) })
  }, [mutate, workspaceId, state, code, iss])
  if (data) {
    return (
      <Page title="Connected" narrow>
        <Stack align="flex-start">
          <Text role="status">
            Now ask the server for its tools, and review them: agents may call what you approve.
          </Text>
          <LinkButton to={`/w/${workspaceId}/integrations/${data.integrationId}` as '/'} search={{ tab: 'tools' }}>
            To its tools
          </LinkButton>
        </Stack>
      </Page>
    )
  }
  return (
    <Page title={error ? 'Not connected' : 'Connecting'} narrow>
      {error ? (
        <Stack align="flex-start">
          <Failure error={error} onRetry={again} />
          <Back workspaceId={workspaceId} />
        </Stack>
      ) : (
        <Rows count={2} />
      )}
    </Page>
  )
}

function Back({ workspaceId }: { workspaceId: string }) {
  return (
    <LinkButton variant="default" to={(workspaceId ? `/w/${workspaceId}/integrations` : '/') as '/'}>
      {workspaceId ? 'Back to the integrations' : 'To the start'}
    </LinkButton>
  )
}
