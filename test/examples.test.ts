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

describe('examples/runner.ts', () => {
  it('takes up a run, streams an answer and ends it', async () => {
    const p = await platformForTest()
    const owner = await p.user()
    const { workspaceId } = owner
    const { id } = (await p.call('threads.post', { workspaceId }, owner)).result
    await p.call('messages.post', { workspaceId, threadId: id, text: 'How many words are here?' }, owner)
    const { result: run } = await p.call('threads.runs.post', { workspaceId, id, runner: 'external' }, owner)
    const file = join(import.meta.dirname, '../examples/runner.ts')
    const env = {
      PATH: process.env.PATH,
      ATRIUM_BASE_URL: await listen(p),
      ATRIUM_TOKEN: owner.token,
      ATRIUM_WORKSPACE: workspaceId,
      RUNS: '1',
    }
    const { stdout } = await promisify(execFile)(process.execPath, [file], { env })
    expect(stdout).toContain(`${run.id} attempt 1`)
    const ended = await p.call('threads.runs.get', { workspaceId, id, runId: run.id }, owner)
    expect(ended.result).toMatchObject({ status: 'succeeded', usage: { steps: 1 } })
    const { result } = await p.call('messages.list', { workspaceId, threadId: id, role: 'assistant' }, owner)
    expect(result.items).toHaveLength(1)
    expect(result.items[0]).toMatchObject({ status: 'complete', callerKind: 'private' })
    expect(result.items[0].text).toContain('The thread has 1 messages and 5 words.')
  }, 180_000)
})
