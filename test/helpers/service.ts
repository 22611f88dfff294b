// The service as an operator runs it: a process of its own, started with the command of `npm start`.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const [, ...ownArguments] = (scripts.start as string).split(' ')
/** It lives for seconds: V8 would spend more on making the engine's code fast than it runs. */
const startArguments = ['--liftoff-only', ...ownArguments]

export type Service = {
  child: ChildProcess
  url: string
  /** What it has written so far. */
  output: { stdout: string; stderr: string }
  /** The exit code, or null where a signal ended it. */
  ended: Promise<number | null>
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** A port that is free at this moment, for a server whose public address must be known before it listens. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

/** Nothing of this machine's own settings reaches it. */
export function launch(env: Record<string, string>, port: number): Service {
  const child = spawn(process.execPath, startArguments, {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', PORT: String(port), ...env },
  })
  const output = { stdout: '', stderr: '' }
  child.stdout?.on('data', chunk => {
    output.stdout += chunk
  })
  child.stderr?.on('data', chunk => {
    output.stderr += chunk
  })
  const ended = new Promise<number | null>(resolve => child.on('close', code => resolve(code)))
  return {
    child,
    url: `http://127.0.0.1:${port}`,
    output,
    ended,
    stop(signal = 'SIGTERM') {
      child.kill(signal)
      return ended
    },
  }
}

/** Started, and answering; at this port, where somebody counts on it. */
export async function start(env: Record<string, string>, port?: number): Promise<Service> {
  const service = launch(env, port ?? (await freePort()))
  let isOver = false
  service.ended.then(() => {
    isOver = true
  })
  for (;;) {
    if (isOver) throw new Error(`the service ended: ${service.output.stderr}`)
    const answer = await fetch(`${service.url}/healthz`).catch(() => null)
    if (answer?.ok) return service
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}
