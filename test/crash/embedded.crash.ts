import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openEmbedded } from '../../src/server/backends/pglite.ts'
import { killAgainAndAgain, rounds } from './rounds.ts'

it(`${rounds} deaths on the embedded engine lose and double nothing`, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'atrium-crash-'))
  try {
    const figures = await killAgainAndAgain({
      env: { DATA_DIR: directory },
      open: () => openEmbedded({ directory }),
    })
    process.stdout.write(`crash, embedded: ${JSON.stringify(figures)}\n`)
    expect(figures.acknowledged).toBeGreaterThan(rounds)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})
