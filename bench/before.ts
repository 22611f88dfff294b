// This checkout against another one, whose path BENCH_BEFORE gives: requests a second of both in turns, in one run.
import { join, resolve } from 'node:path'
import { type Case, cases } from './load/cases.ts'
import { atriumPerson, type Person } from './load/people.ts'
import { atrium, folder, ownDatabase, removeFolder, root, type Server } from './load/servers.ts'
import { drive } from './load/wrk.ts'

const { BENCH_BEFORE, BENCH_DATABASE_URL, BENCH_ONLY, BENCH_ROUNDS = '7', BENCH_SECONDS = '2' } = process.env
const seconds = Number(BENCH_SECONDS)

/** No two ask the same, and nothing is found: no cache has it, so each reaches the engine. */
const uncached: Case = {
  name: 'a read that reaches the engine',
  atrium: ({ workspaceId, session }) =>
    Array.from({ length: 5_000 }, (_, index) => ({
      path: `/v1/api_keys/${workspaceId}?name=nobody%20has%20${index}`,
      headers: session,
    })),
}

type Side = { name: 'before' | 'now'; server: Server; person: Person }

async function side(name: Side['name'], env: Record<string, string>, checkout: string): Promise<Side> {
  const server = await atrium(env, checkout)
  return { name, server, person: await atriumPerson(server.base, 1_000) }
}

async function compare(engine: string, before: Side, now: Side): Promise<void> {
  for (const one of [...cases, uncached]) {
    if (BENCH_ONLY && !one.name.includes(BENCH_ONLY)) continue
    const ratios: number[] = []
    for (let round = 0; round <= Number(BENCH_ROUNDS); round++) {
      const rates = { before: 0, now: 0 }
      // Whoever goes first in one round goes second in the next.
      for (const { name, server, person } of round % 2 === 0 ? [before, now] : [now, before]) {
        const { perSecond, failed } = await drive(server.base, one.atrium(person), { seconds })
        if (failed > 0) throw new Error(`${one.name}, ${name}: ${failed} requests failed`)
        rates[name] = perSecond
      }
      // The first round warms up and is not counted.
      if (round > 0) ratios.push(rates.now / rates.before)
    }
    ratios.sort((a, b) => a - b)
    const shown = [ratios[Math.floor(ratios.length / 2)], ratios[0], ratios.at(-1)].map(ratio => ratio?.toFixed(2))
    process.stdout.write(`${engine}, ${one.name}: ${shown[0]} of before (${shown[1]} to ${shown[2]})\n`)
  }
}

if (!BENCH_BEFORE) {
  process.stdout.write('Left out: set BENCH_BEFORE to the path of another checkout with its packages installed\n')
} else {
  const checkouts = { before: resolve(BENCH_BEFORE), now: root }
  const engines: [string, (name: string) => Promise<Record<string, string>>][] = [
    ['embedded', async name => ({ DATA_DIR: join(folder, `embedded_${name}`) })],
  ]
  const drops: (() => Promise<void>)[] = []
  if (BENCH_DATABASE_URL) {
    engines.push([
      'PostgreSQL',
      async name => {
        const own = await ownDatabase(BENCH_DATABASE_URL, name)
        drops.push(own.drop)
        return { DATABASE_URL: own.url, DATA_DIR: join(folder, `postgres_${name}`) }
      },
    ])
  }
  try {
    for (const [engine, envOf] of engines) {
      const before = await side('before', await envOf('before'), checkouts.before)
      const now = await side('now', await envOf('now'), checkouts.now)
      await compare(engine, before, now).finally(() => Promise.all([before.server.stop(), now.server.stop()]))
    }
  } finally {
    for (const drop of drops) await drop()
    removeFolder()
  }
}
