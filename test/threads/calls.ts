// The rows of inputs of threads and messages.
import type { messages } from '../../src/areas/messages/contract.ts'
import type { threads } from '../../src/areas/threads/contract.ts'
import { sql } from '../../src/kit/sql.ts'
import type { CallRow, World } from '../calls.ts'
import type { TestCaller } from '../helpers/platform.ts'

let count = 0
const inWorkspace = ({ workspaceId }: World) => ({ workspaceId })

async function threadIn({ p, workspaceId }: World, caller: TestCaller): Promise<{ workspaceId: string; id: string }> {
  const { result } = await p.call('threads.post', { workspaceId, name: `Why it is slow ${count++}` }, caller)
  return { workspaceId, id: result.id }
}

async function messageIn(w: World, caller: TestCaller): Promise<{ workspaceId: string; id: string }> {
  const { workspaceId } = w
  const { id: threadId } = await threadIn(w, caller)
  const { result } = await w.p.call('messages.post', { workspaceId, threadId, text: 'Where does it wait?' }, caller)
  return { workspaceId, id: result.id }
}

async function runIn(w: World, caller: TestCaller): Promise<{ workspaceId: string; id: string; runId: string }> {
  const thread = await threadIn(w, caller)
  const { result } = await w.p.call('threads.runs.post', { ...thread, runner: 'external' }, caller)
  return { ...thread, runId: result.id }
}

/** The credential of a run that works in a thread. */
async function runner(w: World): Promise<TestCaller> {
  const { id: threadId } = await threadIn(w, w.owner)
  return await w.p.run(w.owner, 'private', { threadId })
}

async function ownRun(w: World, caller: TestCaller): Promise<{ workspaceId: string; id: string; runId: string }> {
  const [row] = await w.p.database.query<{ threadId: string }>(
    sql`select thread_id from agent_runs where id = ${caller.id}`,
  )
  return row ? { workspaceId: w.workspaceId, id: row.threadId, runId: caller.id } : await runIn(w, w.owner)
}

export const callsOfThreads: Readonly<Record<keyof typeof threads.operations, CallRow>> = {
  'threads.list': { input: inWorkspace },
  'threads.get': { input: threadIn },
  'threads.search': { input: w => ({ ...inWorkspace(w), q: 'slow' }) },
  'threads.post': { input: w => ({ ...inWorkspace(w), name: `Why it is slow ${count++}` }) },
  'threads.patch': { input: async (w, caller) => ({ ...(await threadIn(w, caller)), summary: 'It waits.' }) },
  'threads.del': { input: threadIn },
  'threads.events': { input: threadIn },
  'threads.export': { input: threadIn },
  'threads.publish': { input: threadIn },
  'threads.runs.list': { input: threadIn },
  'threads.runs.get': { input: runIn },
  'threads.runs.post': { input: async (w, caller) => ({ ...(await threadIn(w, caller)), runner: 'external' }) },
  'threads.runs.claim': {
    input: async w => {
      await runIn(w, w.owner)
      return inWorkspace(w)
    },
  },
  'threads.runs.heartbeat': { input: ownRun, by: runner },
  'threads.runs.finish': {
    input: async (w, caller) => ({ ...(await ownRun(w, caller)), status: 'succeeded' }),
    by: runner,
  },
  'threads.runs.cancel': { input: runIn },
}

const lineOfLog = { kind: 'bytes', bytes: Buffer.from('12:04 checkout waits\n') }

async function fileIn(w: World, caller: TestCaller) {
  const { p, workspaceId } = w
  const { result } = await p.call('messages.files.post', { workspaceId, name: 'trace.log', content: lineOfLog }, caller)
  return { workspaceId, id: result.id }
}

export const callsOfMessages: Readonly<Record<keyof typeof messages.operations, CallRow>> = {
  'messages.list': { input: inWorkspace },
  'messages.get': { input: messageIn },
  'messages.search': { input: w => ({ ...inWorkspace(w), q: 'wait' }) },
  'messages.post': {
    input: async (w, caller) => ({ ...inWorkspace(w), threadId: (await threadIn(w, caller)).id, text: 'And then?' }),
  },
  'messages.patch': { input: async (w, caller) => ({ ...(await messageIn(w, caller)), text: 'Where did it wait?' }) },
  'messages.del': { input: messageIn },
  'messages.files.post': { input: w => ({ ...inWorkspace(w), name: 'trace.log', content: lineOfLog }) },
  'messages.files.get': { input: fileIn },
}
