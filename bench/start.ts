// How long the service takes to its first answer, cold and warm, and how much memory it holds when idle.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { folder, freePort, ownDatabase, removeFolder, root, startArguments } from './load/servers.ts'

type Figure = { what: string; found: number; most: number; unit: string }

const rounds = 3
/** The engine's WebAssembly is still being optimised in the background for a while after the start. */
const settleMs = 15_000

/** Seconds to the first answer, and MiB once it has been idle for a while where that is asked for. */
async function measure(env: Record<string, string>, isMemoryWanted = false): Promise<{ seconds: number; mib: number }> {
  const port = await freePort()
  const since = performance.now()
  const child = spawn(process.execPath, startArguments, {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', PORT: String(port), ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = new Promise<number | null>(resolve => child.on('close', resolve))
  while (!(await fetch(`http://127.0.0.1:${port}/v1/scopes`).catch(() => null))?.ok) {
    if (child.exitCode !== null) throw new Error('the service did not start')
    await new Promise(resolve => setTimeout(resolve, 5))
  }
  const seconds = (performance.now() - since) / 1000
  if (isMemoryWanted) await new Promise(resolve => setTimeout(resolve, settleMs))
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  const mib = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
  child.kill('SIGTERM')
  if ((await ended) !== 0) throw new Error('the service did not stop well')
  return { seconds, mib }
}

async function best(times: number, env: () => Record<string, string>): Promise<number> {
  const found: number[] = []
  for (let round = 0; round < times; round++) found.push((await measure(env())).seconds)
  return Math.min(...found)
}

async function figures(folder: string): Promise<Figure[]> {
  let count = 0
  const cold = await best(rounds, () => ({ DATA_DIR: join(folder, `cold${count++}`) }))
  const used = { DATA_DIR: join(folder, 'cold0') }
  const warm = await best(rounds, () => used)
  const { mib } = await measure(used, true)
  return [
    { what: 'cold start, embedded', found: cold, most: 5, unit: 's' },
    { what: 'warm start, embedded', found: warm, most: 2, unit: 's' },
    { what: 'idle memory, embedded', found: mib, most: 600, unit: 'MiB' },
    ...(await onPostgres(folder)),
  ]
}

async function onPostgres(folder: string): Promise<Figure[]> {
  const { BENCH_DATABASE_URL } = process.env
  if (!BENCH_DATABASE_URL) return []
  const { url, drop } = await ownDatabase(BENCH_DATABASE_URL, 'start')
  const env = { DATA_DIR: join(folder, 'postgres'), DATABASE_URL: url }
  try {
    const cold = await best(1, () => env)
    const warm = await best(rounds, () => env)
    const { mib } = await measure(env, true)
    return [
      { what: 'cold start, PostgreSQL', found: cold, most: 5, unit: 's' },
      { what: 'warm start, PostgreSQL', found: warm, most: 2, unit: 's' },
      { what: 'idle memory, PostgreSQL', found: mib, most: 200, unit: 'MiB' },
    ]
  } finally {
    await drop()
  }
}

try {
  const found = await figures(folder)
  const rows = found.map(({ what, found, most, unit }) => ({
    what,
    found: `${found.toFixed(unit === 's' ? 2 : 0)} ${unit}`,
    bound: `${most} ${unit}`,
    holds: found <= most,
  }))
  console.table(rows)
  if (!process.env.BENCH_DATABASE_URL) process.stdout.write('Left out: PostgreSQL (set BENCH_DATABASE_URL)\n')
  process.exitCode = rows.every(({ holds }) => holds) ? 0 : 1
} finally {
  removeFolder()
}
