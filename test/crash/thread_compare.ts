// What threads hold after all those deaths, held against what was said, and by whom.
import { expect } from 'vitest'
import type { Watched } from './thread_rounds.ts'
import type { Client } from './writers.ts'

type Message = { seq: number; id: string; role: string; text: string; status: string; author: { credentialId: string } }
type Run = { id: string; status: string; attempt: number; error: string | null; summary: string | null }
type Approval = { id: string; status: string; args: { title?: string } }

async function all<T>(send: Client, path: string): Promise<T[]> {
  const items: T[] = []
  for (let page = 1; ; page++) {
    const { result } = await send('GET', `${path}${path.includes('?') ? '&' : '?'}perPage=100&page=${page}&order=asc`)
    items.push(...(result.items as T[]))
    if (items.length >= (result.count as number)) return items
  }
}

const ended = ['succeeded', 'failed', 'cancelled']

export async function compareThreads(
  send: Client,
  workspaceId: string,
  watched: readonly Watched[],
): Promise<Record<string, number>> {
  const counts = { threads: watched.length, messages: 0, succeeded: 0, failed: 0, approvalsUsed: 0 }
  for (const thread of watched) {
    const path = `/messages/${workspaceId}?threadId=${thread.id}&orderBy=seq`
    const messages = await all<Message>(send, path)
    compareMessages(thread, messages)
    counts.messages += messages.length
    // The service died before it was asked for a run.
    if (thread.runId === '') continue
    const { result } = await send('GET', `/threads/${workspaceId}/${thread.id}/runs/${thread.runId}`)
    const run = result as unknown as Run
    compareRun(thread, run, messages)
    counts[run.status === 'succeeded' ? 'succeeded' : 'failed']++
  }
  counts.approvalsUsed = await compareApprovals(send, workspaceId)
  const { result } = await send('GET', `/audit_logs/${workspaceId}/verify`)
  expect(result).toMatchObject({ ok: true })
  return counts
}

/** Numbers without gaps; what people were told is kept is there once, in their order; nothing is still being written. */
function compareMessages({ id, said }: Watched, messages: readonly Message[]): void {
  expect([id, messages.map(({ seq }) => seq)]).toEqual([id, messages.map((_, index) => index + 1)])
  const people = messages.filter(({ role }) => role === 'user').map(({ text }) => text)
  expect([id, people.length - new Set(people).size]).toEqual([id, 0])
  expect([id, said.filter(text => !people.includes(text))]).toEqual([id, []])
  expect([id, people.filter(text => !said.includes(text))]).toEqual([id, []])
  expect([id, messages.filter(({ status }) => status === 'streaming')]).toEqual([id, []])
}

/** A run that says it went well has done all of it, once; one that failed says why, and has tried as often as it may. */
function compareRun({ id, kind }: Watched, run: Run, messages: readonly Message[]): void {
  expect([id, ended.includes(run.status)]).toEqual([id, true])
  const written = messages.filter(({ author }) => author.credentialId === run.id)
  if (run.status !== 'succeeded') expect([id, run.error]).toEqual([id, expect.stringContaining('lost')])
  if (kind === 'builtin') {
    compareAnswer(id, run, written)
    return
  }
  // Taken up again after it waited, it has more attempts than losses.
  if (run.status !== 'succeeded') expect([id, run.attempt >= 3]).toEqual([id, true])
  if (kind === 'script') {
    const texts = written.map(({ text }) => text).filter(text => text !== '')
    const expected = ['one', 'two', 'three'].slice(0, run.status === 'succeeded' ? 3 : texts.length)
    expect([id, texts.map(text => text.split(' ')[1])]).toEqual([id, expected])
    return
  }
  // One message for each attempt at the most; that of the attempt which ended it is whole.
  const attempts = written.map(({ text }) => text.split(':')[0])
  expect([id, attempts.length - new Set(attempts).size]).toEqual([id, 0])
  if (run.status !== 'succeeded') return
  const last = written.find(({ text }) => text.startsWith(`${run.summary}:`))
  expect([id, last?.text, last?.status]).toEqual([id, `${run.summary}: one two three`, 'complete'])
}

/** What is complete is there once, in order; what was lost half-written is marked so. */
function compareAnswer(id: string, { status }: Run, written: readonly Message[]): void {
  const complete = written
    .filter(one => one.status === 'complete')
    .map(({ role, text }) => `${role} ${text.split(' ')[1] ?? ''}`)
  const expected = ['assistant one,', 'tool ', 'assistant two,']
  expect([id, complete]).toEqual([id, status === 'succeeded' ? expected : expected.slice(0, complete.length)])
}

/** As many issues as approvals that were used, one for each. */
async function compareApprovals(send: Client, workspaceId: string): Promise<number> {
  const approvals = await all<Approval>(send, `/agent_tools/${workspaceId}/approvals`)
  const used = approvals.filter(({ status }) => status === 'used').map(({ args }) => args.title)
  const issues = await all<{ title: string }>(send, `/issues/${workspaceId}`)
  expect(issues.map(({ title }) => title).sort()).toEqual(used.sort())
  expect(new Set(used).size).toBe(used.length)
  return used.length
}
