// How MCP clients are told of the service: each has a file or a command of its own.
import { Stack, Text } from '@mantine/core'
import { settings } from '../settings.ts'
import { CopyBlock } from './copy.tsx'

export function McpClients({ token }: { token: string }) {
  return (
    <Stack gap="sm">
      {clientsOf(`${settings.publicUrl}/mcp`, token).map(({ name, where, value }) => (
        <Stack key={name} gap={4}>
          <Text size="sm">
            {name}: {where}
          </Text>
          <CopyBlock label={name} value={value} />
        </Stack>
      ))}
    </Stack>
  )
}

function clientsOf(url: string, token: string) {
  const headers = { 'x-api-key': token }
  const input = { type: 'promptString', id: 'atrium', description: 'Atrium API key', password: true }
  return [
    {
      name: 'Claude Code',
      where: 'a command',
      value: `claude mcp add --transport http atrium ${url} --header "x-api-key: ${token}"`,
    },
    { name: 'Cursor', where: '~/.cursor/mcp.json', value: pretty({ mcpServers: { atrium: { url, headers } } }) },
    {
      name: 'VS Code',
      where: '.vscode/mcp.json; it asks for the key once',
      value: pretty({
        inputs: [input],
        servers: { atrium: { type: 'http', url, headers: { 'x-api-key': `\${input:${input.id}}` } } },
      }),
    },
    {
      name: 'Codex',
      where: '~/.codex/config.toml, with the key in the variable',
      value: `[mcp_servers.atrium]\nurl = "${url}"\nbearer_token_env_var = "ATRIUM_API_KEY"`,
    },
    {
      name: 'Gemini CLI',
      where: '~/.gemini/settings.json',
      value: pretty({ mcpServers: { atrium: { httpUrl: url, headers } } }),
    },
  ]
}

function pretty(value: object): string {
  return JSON.stringify(value, null, 2)
}
