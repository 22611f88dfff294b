// Starts an investigation: a thread about an issue, and one beneath it for each thing that may be the cause.
import type { Static } from 'typebox'
import type { Access, Caller, Context } from '../../kit/context.ts'
import type { Db } from '../../kit/db.ts'
import { newId } from '../../kit/random.ts'
import { MessageId, ThreadId } from '../threads/fields/contract.ts'
import * as messages from '../threads/messages/store.ts'
import { startRun, textOf, titleOf } from '../threads/others/store.ts'
import type { RunRow } from '../threads/runs/store.ts'
import * as threads from '../threads/store.ts'
import * as workspaces from '../workspaces/store.ts'
import type { Investigation } from './contract.ts'
import { likeliest, wordsOf } from './likeness/store.ts'
import type { IssueRow } from './store.ts'
import { actorOf, insertEntries } from './timeline/store.ts'

type Investigating = Pick<Context, 'db' | 'now' | 'enqueue' | 'feed' | 'settings'> & { caller: Caller; access: Access }

const mostAlike = 5

/** The issue is held. */
export async function investigate(
  ctx: Investigating,
  issue: IssueRow,
  { prompt, hypotheses }: { prompt: string | undefined; hypotheses: readonly string[] },
): Promise<Static<typeof Investigation>> {
  const { db, caller, now, access } = ctx
  const { workspaceId } = access
  const id = newId(ThreadId)
  const made = {
    workspaceId,
    ownerId: caller.ownerId,
    isNamed: true,
    visibility: 'workspace',
    teamId: null,
    summary: null,
  }
  const name = titleOf(`#${issue.number} ${issue.title}`)
  const root = { ...made, id, name, type: 'investigation', parentThreadId: null, depth: 0, statement: null }
  await threads.insert(db, { ...root, issueId: issue.id }, now())
  await threads.putContext(db, workspaceId, id, await contextOf(db, issue))
  await write(ctx, id, briefing(issue, prompt))
  const below: string[] = []
  for (const statement of new Set(hypotheses)) {
    const child = { ...made, id: newId(ThreadId), name: titleOf(statement).padEnd(4, '.'), type: 'hypothesis' }
    await threads.insert(db, { ...child, parentThreadId: id, depth: 1, statement, issueId: issue.id }, now())
    below.push(child.id)
  }
  const text = `Investigation started${hypotheses.length > 0 ? `, with ${below.length} hypotheses` : ''}.`
  await insertEntries(db, workspaceId, actorOf(caller), [{ issueId: issue.id, type: 'agent', text }], now())
  const run = await startAll(ctx, id, below, prompt)
  const thread = (await threads.find(db, workspaceId, id, caller)) as threads.ThreadRow
  return { ...thread, hypothesisThreadIds: below, run }
}

/** Only where somebody is there to take them up; otherwise people work in the threads. */
async function startAll(
  ctx: Investigating,
  id: string,
  below: readonly string[],
  prompt: string | undefined,
): Promise<RunRow | null> {
  const { db, caller, access } = ctx
  const { agent } = await workspaces.findSettings(db, access.workspaceId)
  if (!agent?.runner) return null
  const start = async (threadId: string) => {
    const held = await threads.lock(db, access.workspaceId, threadId, caller)
    return held ? await startRun(ctx, held, { instructions: prompt ?? null }) : null
  }
  const run = await start(id)
  for (const threadId of below) await start(threadId)
  return run
}

async function contextOf(db: Db, issue: IssueRow): Promise<{ type: string; id: string }[]> {
  const words = await wordsOf(db, issue.title, issue.body)
  const alike = await likeliest(db, issue.workspaceId, issue, words, mostAlike)
  return [issue, ...alike].map(({ id }) => ({ type: 'issue', id }))
}

function briefing({ number, title, severity, status, resources, body }: IssueRow, prompt: string | undefined): string {
  const about = [`Investigate issue #${number}: ${title}`, `Severity ${severity}, status ${status}.`]
  if (resources.length > 0) about.push(`Resources: ${resources.join(', ')}`)
  if (body) about.push(body)
  if (prompt) about.push(prompt)
  return about.join('\n\n')
}

async function write({ db, caller, now, access }: Investigating, threadId: string, markdown: string): Promise<void> {
  const parts = [{ type: 'text' as const, markdown }]
  const text = textOf(parts)
  const message = {
    id: newId(MessageId),
    workspaceId: access.workspaceId,
    threadId,
    role: caller.callerKind === null ? 'user' : 'assistant',
    status: 'complete',
    parts,
    title: titleOf(text),
    text,
    usage: null,
    author: messages.authorOf(caller),
  }
  await messages.append(db, message, null, now())
}
