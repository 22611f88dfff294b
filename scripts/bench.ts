// Runs the benches one after the other: all of bench/, or those whose names are given.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'

const folder = join(import.meta.dirname, '../bench')
const wanted = process.argv.slice(2)
const names = readdirSync(folder)
  .filter(file => file.endsWith('.ts'))
  .map(file => basename(file, '.ts'))
let worst = 0
for (const name of names.filter(name => wanted.length === 0 || wanted.includes(name))) {
  process.stdout.write(`\n${name}\n`)
  const { status } = spawnSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(folder, `${name}.ts`)],
    { stdio: 'inherit' },
  )
  worst = Math.max(worst, status ?? 1)
}
process.exitCode = worst
