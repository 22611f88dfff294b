// How long the command line takes to say something on a warm cache; the least of many runs, and the middle one.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const rounds = 15
const mostMs = 150
const atrium = join(import.meta.dirname, '../bin/atrium')
const folder = mkdtempSync(join(tmpdir(), 'atrium-bench-'))
const env = { PATH: process.env.PATH, HOME: folder, ATRIUM_CONFIG_DIR: folder }

for (const words of [['--version'], ['--help'], ['api_keys', 'list', '--help']]) {
  const times: number[] = []
  for (let round = -2; round < rounds; round++) {
    const start = performance.now()
    execFileSync(atrium, words, { env })
    if (round >= 0) times.push(performance.now() - start)
  }
  times.sort((one, other) => one - other)
  const [least = 0, middle = 0] = [times[0], times[Math.floor(rounds / 2)]]
  const verdict = middle <= mostMs ? 'ok' : `over ${mostMs} ms`
  process.stdout.write(
    `atrium ${words.join(' ')}: median ${middle.toFixed(0)} ms, least ${least.toFixed(0)} ms (${verdict})\n`,
  )
  if (middle > mostMs) process.exitCode = 1
}
rmSync(folder, { recursive: true })
