// Starts a thread with an agent in it, and waits for what comes of it where it should.
import { resultOf, send } from './calling.ts'
import type { Place } from './deeds.ts'
import type { Result } from './outcomes.ts'
import type { Work } from './work.ts'

/** Looked at again after so long, should the news of its end get lost. */
const againMs = 60_000

type Started = { threadId: string; runId: string }

export async function threaded(work: Work, place: Place, isAwaited: boolean): Promise<Result> {
  const { path, attempt, row, input } = place
  if (row?.status === 'waiting' && row.output) return await looked(work, place, row.output as Started)
  const key = `${path}.${attempt}`
  const { instructions = '', name, type = 'automation', issueId, skills, runner, steps } = input
  const made = await send(
    work,
    'threads.post',
    {
      ...{ name: name ?? work.execution.automationName, visibility: 'workspace' },
      // The type of threads that automations make is not for anybody to choose.
      ...(type === 'automation' ? {} : { type }),
      ...(issueId ? { issueId } : {}),
    },
    `${key}.thread`,
  )
  if (made.status >= 300) return resultOf(work, made, 'thread')
  const { id: threadId } = made.result as { id: string }
  const follow = Array.isArray(skills) && skills.length > 0 ? `\n\nFollow these skills: ${skills.join(', ')}.` : ''
  const starting = {
    instructions: `${instructions}${follow}`,
    ...(runner ? { runner } : {}),
    ...(steps ? { steps } : {}),
  }
  const started = await send(work, 'threads.runs.post', { id: threadId, ...starting }, `${key}.run`)
  if (started.status >= 300) return { ...resultOf(work, started, 'thread'), threadId } as Result
  const output = { threadId, runId: (started.result as { id: string }).id }
  if (!isAwaited) return { is: 'succeeded', output, threadId }
  return { is: 'waiting', until: again(work), waitsFor: threadId, output, threadId }
}

async function looked(work: Work, { row, input }: Place, { threadId, runId }: Started): Promise<Result> {
  const answer = await send(work, 'threads.runs.get', { id: threadId, runId }, '')
  if (answer.status >= 300) return resultOf(work, answer, 'thread')
  const { status, summary, error } = answer.result as { status: string; summary: string | null; error: string | null }
  const output = { threadId, runId, status, summary }
  if (status === 'succeeded') return { is: 'succeeded', output, threadId }
  if (status === 'failed' || status === 'cancelled') {
    return {
      is: 'failed',
      error: `The run ${status}: ${error ?? 'nothing was said'}`,
      output,
      isRetried: false,
      threadId,
    }
  }
  const { waitSeconds = 3_600 } = input as { waitSeconds?: number }
  const isLate = row !== undefined && work.ctx.now().getTime() > Date.parse(row.started) + waitSeconds * 1000
  if (isLate)
    return { is: 'failed', error: `The run took more than ${waitSeconds} s.`, output, isRetried: false, threadId }
  return { is: 'waiting', until: again(work), waitsFor: threadId, output: { threadId, runId }, threadId }
}

function again({ ctx }: Work): Date {
  return new Date(ctx.now().getTime() + againMs)
}
