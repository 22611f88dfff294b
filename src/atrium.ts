// The command `atrium`: the command line, the bundled document, and the commands that need the server.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Document } from './cli/digest.ts'
import { run } from './cli/run.ts'
import { serverCommands } from './cli_server/commands.ts'

const here = import.meta.dirname
const isSource = import.meta.filename.endsWith('.ts')
const { version } = JSON.parse(readFileSync(join(here, '../package.json'), 'utf8'))

/** From a checkout the document is computed and changes with its sources; a package carries it as a file. */
const bundled = {
  key: () => (isSource ? sourceKey() : version),
  load: async (): Promise<Document> => {
    if (!isSource) return JSON.parse(readFileSync(join(here, 'openapi.json'), 'utf8'))
    const [{ openapi }, { areas }] = await Promise.all([import('./contract/openapi.ts'), import('./operations.ts')])
    return openapi(areas, 'http://127.0.0.1:3000') as unknown as Document
  },
}

function sourceKey(): string {
  const folders = [join(here, 'contract'), join(here, 'areas')]
  const files = folders
    .flatMap(folder => readdirSync(folder, { recursive: true }).map(name => join(folder, String(name))))
    .filter(path => path.endsWith('contract.ts') || path.startsWith(join(here, 'contract')))
  return files.map(path => `${path} ${statSync(path, { throwIfNoEntry: false })?.mtimeMs}`).join('\n')
}

const interrupted = new AbortController()
process.on('SIGINT', () => {
  if (interrupted.signal.aborted) process.exit(130)
  interrupted.abort()
})
// Whoever read our output has gone; there is nobody left to tell.
for (const output of [process.stdout, process.stderr]) {
  output.on('error', error => {
    process.exit((error as { code?: string }).code === 'EPIPE' ? 0 : 1)
  })
}

const { argv, env, stdin, stdout, stderr } = process
const keyring = async () => (await import('./cli/keyring.ts')).systemKeyring(env)
const terminal = { argv: argv.slice(2), env, stdin, stdout, stderr, signal: interrupted.signal, keyring }
process.exitCode = await run(terminal, { version, bundled, local: serverCommands })
// A terminal's stdin that was read once would keep the process alive.
stdin.unref?.()
