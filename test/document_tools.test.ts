// The served document in the hands of others: validators without a warning, and generated clients that compile and call.
import { execFile, execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { platformForTest } from './helpers/platform.ts'
import { listen } from './helpers/terminal.ts'

const root = join(import.meta.dirname, '..')

/** The tools are fetched at their first use; a machine without a registry leaves this out. */
function canFetch(): boolean {
  if (existsSync(join(root, 'node_modules/.cache/document_tools/node_modules/orval'))) return true
  try {
    execFileSync('npm', ['view', 'orval', 'version'], { stdio: 'ignore', timeout: 20_000 })
    return true
  } catch {
    return false
  }
}

describe('the document', () => {
  it.runIf(canFetch())(
    'is valid, and clients generated from it compile and call',
    async () => {
      const baseUrl = await listen(await platformForTest())
      const script = join(root, 'scripts/check_document.ts')
      const words = ['--disable-warning=ExperimentalWarning', script, baseUrl]
      const { stdout } = await promisify(execFile)(process.execPath, words)
      expect(stdout).toContain('three generated clients compile and call')
    },
    400_000,
  )
})
