// A run that waits for a person outlives the service: killed while it is parked, it goes on after the next start.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { administer, isPostgres, urlOf } from '../helpers/engines.ts'
import { signUp } from '../helpers/persistent.ts'
import { type Service, start } from '../helpers/service.ts'

// Whole processes start and end here.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

/** Where the service keeps its data, the same for each start. */
async function place(): Promise<Record<string, string>> {
  const SECRET_KEY = randomBytes(32).toString('hex')
  if (!isPostgres) {
    const DATA_DIR = mkdtempSync(join(tmpdir(), 'atrium-parked-'))
    onTestFinished(() => rmSync(DATA_DIR, { recursive: true, force: true }))
    return { DATA_DIR, SECRET_KEY }
  }
  const name = `atrium_parked_${randomBytes(6).toString('hex')}`
  await administer(`create database ${name}`)
  onTestFinished(() => administer(`drop database if exists ${name} with (force)`))
  // Limits stay in the process: in a Redis that others use, this machine may have signed up too often already.
  return { DATABASE_URL: urlOf(name), SECRET_KEY }
}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at field by field
type Loose = any

function caller({ url }: Service, token: string) {
  return async (method: string, path: string, body?: object): Promise<Loose> => {
    const answer = await fetch(`${url}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, ...((await answer.json()) as object) }
  }
}

it('goes on after the service was killed while it was parked, with what was decided since', async () => {
  const env = await place()
  let service = await start(env)
  const { token, workspaceId } = await signUp(service)
  let call = caller(service, token)
  const { result: thread } = await call('POST', '/threads', { workspaceId, type: 'chat' })
  const steps = [{ call: { operation: 'teams.post', input: { name: 'Survivors' } } }, { say: 'Made.' }]
  const { result: run } = await call('POST', `/threads/${workspaceId}/${thread.id}/runs`, { steps })
  const state = async () => (await call('GET', `/threads/${workspaceId}/${thread.id}/runs/${run.id}`)).result
  await vi.waitFor(async () => expect((await state()).status).toBe('parked'), { timeout: 30_000 })
  const { waitsFor } = await state()
  await service.stop('SIGKILL')

  service = await start(env)
  onTestFinished(() => service.stop().then(() => {}))
  call = caller(service, token)
  expect(await state()).toMatchObject({ status: 'parked', waitsFor })
  const decided = await call('POST', `/agent_tools/${workspaceId}/approvals/${waitsFor}/decide`, {
    decision: 'approve',
  })
  expect(decided.status).toBe(200)
  await vi.waitFor(async () => expect((await state()).status).toBe('succeeded'), { timeout: 60_000 })
  expect((await call('GET', `/teams/${workspaceId}`)).result.count).toBe(1)
  const said = (await call('GET', `/messages/${workspaceId}?threadId=${thread.id}&orderBy=seq&order=asc`)).result.items
  expect(said.map(({ seq }: Loose) => seq)).toEqual([1, 2, 3])
  const types = said.flatMap(({ parts }: Loose) => parts.map(({ type }: Loose) => type))
  expect(types).toEqual(['tool_call', 'tool_result', 'text'])
  await service.stop()
})
