// The programs in examples/ against a running service.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { platformForTest } from './helpers/platform.ts'
import { listen } from './helpers/terminal.ts'

const example = join(import.meta.dirname, '../examples/list_keys.ts')

describe('examples/list_keys.ts', () => {
  it('makes a first key, then lists it', async () => {
    const p = await platformForTest()
    const { token } = await p.user()
    const env = { PATH: process.env.PATH, ATRIUM_BASE_URL: await listen(p), ATRIUM_TOKEN: token }
    const ran = async () => (await promisify(execFile)(process.execPath, [example], { env })).stdout
    expect(await ran()).toMatch(/: made First key atr_/)
    expect(await ran()).toMatch(/: First key \(workspaces:read\)/)
    const refused = await promisify(execFile)(process.execPath, [example], {
      env: { ...env, ATRIUM_TOKEN: 'x' },
    }).catch(error => error)
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('401 Unauthorized')])
  }, 180_000)
})
