// How the secret of a key is used: by curl, the command line and MCP clients.
import { Tabs, Text } from '@mantine/core'
import { CopyBlock } from '../../parts/copy.tsx'
import { McpClients } from '../../parts/mcp_clients.tsx'
import { useWorkspaceId } from '../../session.ts'
import { settings } from '../../settings.ts'

export function SecretUse({ secret }: { secret: string }) {
  const workspaceId = useWorkspaceId()
  const url = settings.publicUrl
  return (
    <div>
      <Text fw={600} mb="xs">
        How to use it
      </Text>
      <Tabs defaultValue="curl">
        <Tabs.List aria-label="How to use it">
          <Tabs.Tab value="curl">curl</Tabs.Tab>
          <Tabs.Tab value="cli">Command line</Tabs.Tab>
          <Tabs.Tab value="mcp">MCP</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="curl" pt="sm">
          <CopyBlock label="curl" value={`curl -H 'x-api-key: ${secret}' \\\n  ${url}/v1/workspaces/${workspaceId}`} />
        </Tabs.Panel>
        <Tabs.Panel value="cli" pt="sm">
          <CopyBlock
            label="Command line"
            value={`export ATRIUM_BASE_URL='${url}' ATRIUM_API_KEY='${secret}'\natrium workspaces get ${workspaceId}`}
          />
        </Tabs.Panel>
        <Tabs.Panel value="mcp" pt="sm">
          <McpClients token={secret} />
        </Tabs.Panel>
      </Tabs>
    </div>
  )
}
