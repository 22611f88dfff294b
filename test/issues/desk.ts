// A platform with one workspace, and the calls that the tests of issues make in it.
import { afterAll, expect } from 'vitest'
import { platform } from '../helpers/platform.ts'

type Entry = {
  id: string
  type: string
  text: string
  data: Record<string, unknown>
  actor: object
  edited: string | null
}

/** Closed after the last test of the file. */
export async function issueDesk() {
  const p = await platform({ env: { RATE_LIMIT: '1000000' } })
  afterAll(() => p.close())
  const owner = await p.user()
  const { workspaceId } = owner
  const post = (fields: object = {}, caller = owner) =>
    p.call('issues.post', { workspaceId, title: 'Checkout answers 502', ...fields }, caller)
  const make = async (fields: object = {}, caller = owner) => {
    const answer = await post(fields, caller)
    expect(answer.error).toBeNull()
    return answer.result
  }
  const on = (operation: string, id: string, fields: object = {}, caller = owner) =>
    p.call(operation, { workspaceId, id, ...fields }, caller)
  const patch = (id: string, fields: object) => on('issues.patch', id, fields)
  const timeline = async (id: string) =>
    (await on('issues.timeline.list', id, { order: 'asc', perPage: 100 })).result.items as Entry[]
  return { p, owner, workspaceId, post, make, on, patch, timeline }
}
