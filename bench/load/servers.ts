// The servers that are compared, each a process of its own as its users would start it.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'

export const root = join(import.meta.dirname, '../..')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
export const startArguments: readonly string[] = (scripts.start as string).split(' ').slice(1)
export const folder = mkdtempSync(join(tmpdir(), 'atrium-bench-'))

export type Server = { base: string; child: ChildProcess; stop(): Promise<void> }

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise(resolve => server.close(resolve))
  return port
}

async function launch(
  args: readonly string[],
  env: Record<string, string>,
  health: string,
  cwd = root,
): Promise<Server> {
  const port = await freePort()
  const child = spawn(process.execPath, args, {
    cwd,
    env: { PATH: process.env.PATH ?? '', PORT: String(port), ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = new Promise<void>(resolve => child.on('close', () => resolve()))
  const base = `http://127.0.0.1:${port}`
  const until = Date.now() + 60_000
  while (!(await fetch(base + health).catch(() => null))) {
    if (child.exitCode !== null || Date.now() > until) throw new Error(`${args.join(' ')} did not start`)
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  return {
    base,
    child,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** As `npm start`; what limits callers is out of the way, everything else as shipped. */
export function atrium(env: Record<string, string>, checkout = root): Promise<Server> {
  const limits = { RATE_LIMIT: '1000000', MCP_RATE_LIMIT: '1000000', ANONYMOUS_RATE_LIMIT: '1000000' }
  return launch(startArguments, { LOG_LEVEL: 'warn', ...limits, ...env }, '/healthz', checkout)
}

export function bare(): Promise<Server> {
  const flags = startArguments.filter(argument => argument.startsWith('--'))
  return launch([...flags, join(import.meta.dirname, 'bare.ts')], {}, '/')
}

export function telemetrySink(): Promise<Server> {
  const flags = startArguments.filter(argument => argument.startsWith('--'))
  return launch([...flags, join(import.meta.dirname, 'telemetry_sink.ts')], {}, '/')
}

const rival = { 'better-auth': '1.7.5', '@better-auth/api-key': '1.7.5', pg: '8.23.1' }

/** Installed into a folder of the bench's own: the project does not depend on it. */
export async function betterAuth(databaseUrl: string): Promise<Server> {
  const packages = join(root, 'node_modules/.cache/atrium-bench/better-auth')
  if (!existsSync(join(packages, 'node_modules/better-auth'))) {
    mkdirSync(packages, { recursive: true })
    writeFileSync(join(packages, 'package.json'), JSON.stringify({ private: true, dependencies: rival }))
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--legacy-peer-deps'], {
      cwd: packages,
      stdio: 'ignore',
    })
  }
  const env = { PACKAGES: packages, DATABASE_URL: databaseUrl, NODE_ENV: 'production' }
  return await launch([join(import.meta.dirname, 'better_auth.mjs')], env, '/api/auth/ok')
}

/** Seconds of processor time that the process has used. */
export function processorTime({ child }: Server): number {
  const [, ...fields] = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')
  const [user, system] = (fields[0] ?? '').split(' ').slice(11, 13).map(Number)
  return ((user ?? 0) + (system ?? 0)) / 100
}

export type OwnDatabase = { url: string; drop(): Promise<void> }

/** A database on the server of BENCH_DATABASE_URL, for one bench. */
export async function ownDatabase(server: string, name: string): Promise<OwnDatabase> {
  const own = `atrium_bench_${name}_${process.pid}`
  const ask = async (text: string) => {
    const client = new pg.Client({ connectionString: server })
    await client.connect()
    await client.query(text).finally(() => client.end())
  }
  await ask(`create database ${own}`)
  const url = new URL(server)
  url.pathname = `/${own}`
  return { url: url.href, drop: () => ask(`drop database ${own} with (force)`) }
}

export function removeFolder(): void {
  rmSync(folder, { recursive: true, force: true })
}
