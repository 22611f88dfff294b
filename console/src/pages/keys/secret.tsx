// The secret of a key, this once, and how to use it.
import { Alert, Button, Group, Stack, Tabs, Text } from '@mantine/core'
import { ShieldAlert } from 'lucide-react'
import { CopyBlock, CopyLine } from '../../parts/copy.tsx'
import { McpClients } from '../../parts/mcp_clients.tsx'
import { settings } from '../../settings.ts'

type SecretProps = { token: string; workspaceId: string; onDone: () => void }

export function Secret({ token, workspaceId, onDone }: SecretProps) {
  return (
    <Stack>
      <Alert color="yellow" icon={<ShieldAlert size={18} aria-hidden />} title="Copy the secret now">
        It is shown this once. Whoever has it can do what the key may do.
      </Alert>
      <CopyLine value={token} label="Copy the secret" />
      <Text fw={600}>How to use it</Text>
      <Usage token={token} workspaceId={workspaceId} />
      <Group justify="flex-end">
        <Button onClick={onDone}>I have copied it</Button>
      </Group>
    </Stack>
  )
}

export function Usage({ token, workspaceId }: { token: string; workspaceId: string }) {
  const url = settings.publicUrl
  return (
    <Tabs defaultValue="curl">
      <Tabs.List aria-label="How to use it">
        <Tabs.Tab value="curl">curl</Tabs.Tab>
        <Tabs.Tab value="cli">Command line</Tabs.Tab>
        <Tabs.Tab value="mcp">MCP</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="curl" pt="sm">
        <CopyBlock label="curl" value={`curl -H 'x-api-key: ${token}' \\\n  ${url}/v1/workspaces/${workspaceId}`} />
      </Tabs.Panel>
      <Tabs.Panel value="cli" pt="sm">
        <CopyBlock
          label="Command line"
          value={`export ATRIUM_BASE_URL='${url}' ATRIUM_API_KEY='${token}'\natrium workspaces get ${workspaceId}`}
        />
      </Tabs.Panel>
      <Tabs.Panel value="mcp" pt="sm">
        <McpClients token={token} />
      </Tabs.Panel>
    </Tabs>
  )
}
