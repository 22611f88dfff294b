// The developers' corner: how to reach the workspace from programs, agents and the command line.
import { Anchor, SimpleGrid, Stack, Tabs, Text } from '@mantine/core'
import { KeyRound } from 'lucide-react'
import { indexedAreas } from '../contract.ts'
import { CopyBlock, CopyLine } from '../parts/copy.tsx'
import { LinkButton } from '../parts/links.tsx'
import { McpClients } from '../parts/mcp_clients.tsx'
import { Page, Panel } from '../parts/page.tsx'
import { useStanding, useWorkspaceId } from '../session.ts'
import { settings } from '../settings.ts'

const url = settings.publicUrl
const operations = indexedAreas.reduce((sum, area) => sum + Object.keys(area.operations).length, 0)

export function Connect() {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  return (
    <Page
      title="Connect"
      about="The same operations by REST, command line, MCP and TypeScript."
      actions={
        may('api_keys.post') && (
          <LinkButton to={`/w/${workspaceId}/keys/new` as '/'} leftSection={<KeyRound size={16} aria-hidden />}>
            New key
          </LinkButton>
        )
      }
    >
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Panel title="Where">
          <Stack gap="xs">
            <Text size="sm">Address of the service</Text>
            <CopyLine value={url} label="Copy the address" />
            <Text size="sm">Workspace ID</Text>
            <CopyLine value={workspaceId} label="Copy the workspace id" />
            <Text size="sm">MCP server</Text>
            <CopyLine value={`${url}/mcp`} label="Copy the MCP address" />
          </Stack>
        </Panel>
        <Panel title="Reference" about={`${operations} operations, with their schemas and scopes.`}>
          <Stack gap="xs" align="flex-start">
            <Anchor href="/docs" size="sm">
              API reference
            </Anchor>
            <Anchor href="/v1/openapi.json" size="sm">
              OpenAPI 3.1 document
            </Anchor>
            <Text size="sm" c="dimmed">
              5,000 requests a minute per credential on REST, 600 on MCP; the headers RateLimit and Retry-After say
              where you stand.
            </Text>
          </Stack>
        </Panel>
      </SimpleGrid>
      <Panel title="Ways in" about="Put a key where it says YOUR_KEY.">
        <Ways workspaceId={workspaceId} />
      </Panel>
    </Page>
  )
}

function Ways({ workspaceId }: { workspaceId: string }) {
  return (
    <Tabs defaultValue="cli" keepMounted={false}>
      <Tabs.List aria-label="Ways in">
        <Tabs.Tab value="cli">Command line</Tabs.Tab>
        <Tabs.Tab value="mcp">MCP clients</Tabs.Tab>
        <Tabs.Tab value="sdk">TypeScript</Tabs.Tab>
        <Tabs.Tab value="curl">curl</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="cli" pt="md">
        <Stack gap="sm">
          <Text size="sm">Log in through the browser, or set ATRIUM_API_KEY; every operation is a command.</Text>
          <CopyBlock
            label="Command line"
            value={`atrium --base-url ${url} login\natrium api_keys list ${workspaceId}\natrium workspaces get ${workspaceId}`}
          />
        </Stack>
      </Tabs.Panel>
      <Tabs.Panel value="mcp" pt="md">
        <Stack gap="sm">
          <Text size="sm">Clients that know OAuth need only the address; leave the key away. Others take a key:</Text>
          <McpClients token="YOUR_KEY" />
        </Stack>
      </Tabs.Panel>
      <Tabs.Panel value="sdk" pt="md">
        <CopyBlock
          label="TypeScript"
          value={`import { createClient } from 'atrium/client'

const atrium = createClient({ baseUrl: '${url}', apiKey: 'YOUR_KEY' })
for await (const key of atrium.pages('api_keys.list', { workspaceId: '${workspaceId}' })) {
  console.log(key.name)
}`}
        />
      </Tabs.Panel>
      <Tabs.Panel value="curl" pt="md">
        <CopyBlock label="curl" value={`curl -H 'x-api-key: YOUR_KEY' ${url}/v1/api_keys/${workspaceId}`} />
      </Tabs.Panel>
    </Tabs>
  )
}
