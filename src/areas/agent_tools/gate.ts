// The gate before every tool call: argument rules, calls per run, and approvals that people give.
import { ApprovalId } from '../../contract/approvals.ts'
import { forbidden } from '../../contract/errors.ts'
import { modeByArguments } from '../../kit/arg_rules.ts'
import type { Caller } from '../../kit/context.ts'
import type { Db } from '../../kit/db.ts'
import type { Gate, GateContext, GatedCall, Passage, PassageRefusal } from '../../kit/gate.ts'
import { notify } from '../../kit/notify.ts'
import { newId } from '../../kit/random.ts'
import { holdCaller, parkRun } from '../threads/others/store.ts'
import * as workspaces from '../workspaces/store.ts'
import * as store from './approvals/store.ts'
import * as calls from './calls/store.ts'

/** What nobody has decided or used by then must be asked for again. */
const expiresAfterMs = 3_600_000
const startAfterSeconds = expiresAfterMs / 1000 + 1
/** As many of one caller may wait: beyond that nobody would read them any more. */
const mostWaiting = 20

export const gate: Gate = { pass, rehearse, log: calls.insertAll }

async function pass(ctx: GateContext, call: GatedCall): Promise<Passage> {
  const verdict = rehearse(call)
  if (typeof verdict === 'object') return verdict
  if (verdict === 'open') return (await refusalByCount(ctx, call)) ?? { is: 'open' }
  if (call.approvalId === null) return await ask(ctx, call)
  const use = { ...identityOf(call), id: call.approvalId }
  const standing = await store.standingOf(ctx.db, use, ctx.now())
  if (standing?.status === 'pending') {
    return { is: 'waiting', wait: { approvalId: use.id, status: 'pending', expiresAt: standing.expiresAt } }
  }
  const claim = async (db: Db) => {
    if (await store.use(db, use, ctx.now())) return
    throw unusable(await store.standingOf(db, use, ctx.now()))
  }
  // Whether it can be used is decided where it is used: a repeated request must still find its first answer.
  return (standing?.status === 'approved' ? await refusalByCount(ctx, call) : null) ?? { is: 'open', claim }
}

function rehearse({
  caller,
  ruling,
  args,
}: Pick<GatedCall, 'caller' | 'ruling' | 'args'>): ReturnType<Gate['rehearse']> {
  const { name, mode, policy } = ruling
  const decided = modeByArguments(mode, policy?.argRules ?? [], caller.callerKind, args)
  if (decided === 'deny') {
    const detail = `The tool policy of the workspace refuses ${name} with these arguments; an admin can change it in the console.`
    return { is: 'refused', reason: 'policy', detail }
  }
  if (decided === 'allow') return 'open'
  return isAttended(caller) ? 'waiting' : unattended(name)
}

function unattended(name: string): PassageRefusal {
  const detail = `${name} needs the approval of a person, and nobody attends this run; go on without it, or let a person do it.`
  return { is: 'refused', reason: 'approval', detail }
}

/** A run says whether a person started it; of keys that runs made, those of automations and hypotheses have nobody. */
function isAttended({ run, callerKind }: Caller): boolean {
  if (run) return run.isAttended
  return callerKind !== 'automation' && callerKind !== 'hypothesis'
}

/** An approval is for whoever asked, and nobody else; calls are counted for the same. */
function identityOf({ workspaceId, caller, ruling, digest }: GatedCall) {
  return { workspaceId, requester: caller.run?.id ?? caller.credentialId, tool: ruling.name, digest }
}

async function ask({ now, ask: inTransaction }: GateContext, call: GatedCall): Promise<Passage> {
  const { caller, ruling, workspaceId } = call
  const expiresAt = new Date(now().getTime() + expiresAfterMs)
  return await inTransaction<Passage>(async (tx, enqueue) => {
    const { requester, tool, digest } = identityOf(call)
    await workspaces.keepAlive(tx, workspaceId)
    const held = caller.run ? await holdCaller(tx, caller.run) : null
    const id = newId(ApprovalId)
    const wanted = {
      ...{ id, workspaceId, ownerId: caller.ownerId, requester, tool, digest, expiresAt },
      ...{ operationId: call.operationId, args: call.shownArgs, hasSecrets: call.hasSecrets, reason: call.reason },
      runId: caller.run?.id ?? null,
      threadId: caller.run?.threadId ?? null,
      callerKind: caller.callerKind,
    }
    const open = await store.want(tx, wanted, now())
    const isNew = open.id === id
    if (isNew && (await store.countOpen(tx, workspaceId, requester, now())) > mostWaiting) {
      throw forbidden(`${mostWaiting} calls of yours wait for an approval; wait until somebody has decided.`, {
        reason: 'approval',
      })
    }
    if (isNew) {
      const to = await workspaces.holdersOf(tx, workspaceId, 'agent_tools:write')
      const notice = { type: 'agent_tools.approvalWanted', to, workspaceId, facts: { tool: ruling.name } }
      // Whoever is behind the credential is asked too: it is an agent that acts.
      await notify({ enqueue, id }, notice)
      if (held) await enqueue('agent_tools.expireApproval', { workspaceId, approvalId: id }, { startAfterSeconds })
    }
    // In the same transaction: nobody can decide before the run waits, nor does it wait for what nobody was asked.
    if (held) await parkRun({ db: tx, now }, held.family, held.run, open.id)
    const parkedIn = held && held.run.status !== 'parked' ? held.family.thread.id : null
    const wait = { approvalId: open.id, status: 'pending', expiresAt: open.expiresAt } as const
    return { value: { is: 'waiting', wait }, wantedId: isNew ? id : null, parkedIn }
  })
}

async function refusalByCount({ db, now }: GateContext, call: GatedCall): Promise<PassageRefusal | null> {
  const most = call.ruling.policy?.maxCallsPerRun ?? null
  // People and plain keys are not in a run.
  if (most === null || call.caller.callerKind === null) return null
  if (await store.countCall(db, identityOf(call), most, now())) return null
  const detail = `The tool policy of the workspace lets a run call ${call.ruling.name} ${most} times, which this one has; go on without it.`
  return { is: 'refused', reason: 'policy', detail }
}

function unusable(standing: { status: string } | undefined) {
  const state = standing?.status ?? null
  const why =
    state === null
      ? 'This is no approval of yours for exactly this call'
      : state === 'denied'
        ? 'A person denied this call'
        : `This approval is ${state}`
  const detail = `${why}; send the call without Approval-Id to ask for another.`
  return forbidden(detail, { reason: 'approval', ...(state !== null && { state }) })
}
