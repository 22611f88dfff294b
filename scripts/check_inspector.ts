// The MCP Inspector against a running service: lists, reads, writes and deletes, by key and by its own OAuth login.
// Usage: node scripts/check_inspector.ts http://127.0.0.1:3000 atr_… ; without a key it prints where a person logs in.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const inspector = { name: '@modelcontextprotocol/inspector', version: '2.12.0' }
const [baseUrl = 'http://127.0.0.1:3000', key] = process.argv.slice(2)
const tools = join(import.meta.dirname, '../node_modules/.cache/mcp_inspector')
const home = mkdtempSync(join(tmpdir(), 'atrium-inspector-'))

/** Fetched once, beside the project's own packages: it is larger than all of them together. */
function install(): void {
  mkdirSync(tools, { recursive: true })
  writeFileSync(
    join(tools, 'package.json'),
    JSON.stringify({ private: true, dependencies: { [inspector.name]: inspector.version } }),
  )
  if (existsSync(join(tools, 'node_modules', inspector.name))) return
  const words = ['install', '--no-audit', '--no-fund', '--silent', '--ignore-scripts']
  execFileSync('npm', words, { cwd: tools, stdio: 'inherit' })
}

/** One call of the Inspector; what it says beside the result goes on, since a login is asked for there. */
async function inspect(...words: string[]): Promise<Record<string, unknown>> {
  const command = join(tools, 'node_modules/.bin/mcp-inspector')
  const credential = key ? ['--header', `x-api-key: ${key}`] : []
  const all = [
    command,
    '--cli',
    `${baseUrl}/mcp/x/teams`,
    '--transport',
    'http',
    '--format',
    'json',
    ...words,
    ...credential,
  ]
  // It opens no browser here: the address is read from what it says.
  const env = {
    ...process.env,
    HOME: home,
    BROWSER: 'true',
    MCP_AUTO_OPEN_ENABLED: 'true',
    MCP_INSPECTOR_SECRET_STORE: 'file',
  }
  const child = spawn(process.execPath, all, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  child.stdout.on('data', chunk => {
    said += chunk
  })
  child.stderr.on('data', chunk => process.stderr.write(chunk))
  const code = await new Promise(resolve => child.once('close', resolve))
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}: ${said}`)
  return JSON.parse(said) as Record<string, unknown>
}

async function call(name: string, args: object): Promise<Record<string, unknown>> {
  const answer = await inspect('--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args))
  const { structuredContent, isError } = (answer.result ?? answer) as {
    structuredContent?: Record<string, unknown>
    isError?: boolean
  }
  if (isError) throw new Error(`${name}: ${JSON.stringify(answer)}`)
  return structuredContent ?? {}
}

install()
try {
  const listed = JSON.stringify(await inspect('--method', 'tools/list'))
  for (const name of ['teams_list', 'teams_post', 'teams_del']) {
    if (!listed.includes(`"${name}"`)) throw new Error(`${name} is not listed: ${listed}`)
  }
  const { id } = await call('teams_post', { name: 'Made by the Inspector' })
  if (!JSON.stringify(await call('teams_list', {})).includes(String(id))) throw new Error('the new team is not listed')
  await call('teams_del', { id })
  if (JSON.stringify(await call('teams_list', {})).includes(String(id))) throw new Error('the team was not deleted')
  process.stdout.write('the Inspector lists, reads, writes and deletes\n')
} finally {
  rmSync(home, { recursive: true, force: true })
}
