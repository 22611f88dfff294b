// Starts a run in a thread: by which runner, with which rights, one at a time.
import { conflict, forbidden, refused } from '../../../contract/errors.ts'
import { AgentRunId } from '../../../contract/ids.ts'
import { scopesHeld } from '../../../contract/permissions.ts'
import type { Scope } from '../../../contract/scopes.ts'
import type { Access, Caller, Context } from '../../../kit/context.ts'
import { unique } from '../../../kit/outcomes.ts'
import { newId } from '../../../kit/random.ts'
import { findAgent } from '../../workspaces/agent/store.ts'
import { refuseArchived } from '../checks.ts'
import { kindOf } from '../fields/contract.ts'
import { type Held, setStatus } from '../store.ts'
import { missingOf, noModel } from './builtin/endpoint.ts'
import { refuseBeyondDay } from './daily.ts'
import { enqueueOwn, told } from './ending.ts'
import { checkSteps } from './script/checking.ts'
import type { Step } from './script/contract.ts'
import { rightsOf } from './starting.ts'
import * as store from './store.ts'

type Starting = {
  instructions?: string | null
  runner?: 'builtin' | 'external' | 'script'
  steps?: readonly Step[]
  /** Of an automation: the scopes that its run may use. */
  grants?: readonly Scope[]
}

type StartContext = Pick<Context, 'db' | 'now' | 'enqueue' | 'feed' | 'settings'> & {
  caller: Caller
  access: Pick<Access, 'workspaceId'>
}

/** The thread is held. It exists exactly when the transaction commits, and whoever waits for runs hears of it then. */
export async function startRun(ctx: StartContext, thread: Held, starting: Starting): Promise<store.RunRow> {
  const { db, caller, now, feed } = ctx
  const { workspaceId } = ctx.access
  if (!scopesHeld(caller).includes('threads:write')) {
    const missing = { reason: 'scope', missing: ['threads:write'] }
    throw forbidden('To start a run needs the scope threads:write.', missing)
  }
  refuseArchived(thread)
  const { runner, steps } = await runnerOf(ctx, starting)
  await refuseBeyondDay(ctx, ctx.access.workspaceId)
  const parentStarterId = caller.run ? await store.starterOf(db, caller.run.id) : null
  // What an automation starts may do what the automation may.
  const grants = starting.grants ?? (caller.callerKind === 'automation' ? scopesHeld(caller) : undefined)
  const rights = rightsOf(caller, workspaceId, kindOf(thread.type), { parentStarterId, ...(grants && { grants }) })
  const { instructions = null } = starting
  const seesPrivate = thread.visibility === 'private'
  // What a skill has taken from a run, those that it starts do not have either.
  const allowedTools = caller.run?.allowedTools ?? null
  const id = newId(AgentRunId)
  const run = await unique(
    store.insert(
      db,
      { ...rights, id, threadId: thread.id, runner, instructions, steps, seesPrivate, allowedTools },
      now(),
    ),
    'agent_runs__thread_id_active',
    'A run is active in the thread; wait for it, or cancel it first.',
    { state: thread.status },
  )
  await setStatus(db, thread.id, 'queued', now())
  await enqueueOwn(ctx.enqueue, { id, runner, workspaceId })
  feed.tell(workspaceId, told('queued', thread.id, run))
  return run
}

async function runnerOf({ db, access }: StartContext, { runner: given, steps }: Starting) {
  const agent = await findAgent(db, access.workspaceId)
  const runner = given ?? (steps ? 'script' : agent.runner)
  if (runner === null) {
    const detail = 'No runner is set: choose one in the settings of the workspace (agent.runner), or name one.'
    throw conflict(detail, { setting: 'agent.runner' })
  }
  const setting = runner === 'builtin' ? missingOf(agent) : null
  if (setting) throw conflict(noModel(setting), { setting })
  if (runner !== 'script') {
    if (steps) throw refused('steps', 'runner', 'left out, unless the runner is script')
    return { runner, steps: null }
  }
  if (!steps) throw refused('steps', 'runner', 'there, where the runner is script')
  checkSteps(steps)
  return { runner, steps }
}
