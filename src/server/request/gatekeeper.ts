// Before a tool call is carried out: what the policy says of its arguments, and whether a person must be asked first.
import { hash } from 'node:crypto'
import type { TSchema } from 'typebox'
import { forbidden } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import type { Ruling } from '../../contract/tool_policy.ts'
import type { Caller } from '../../kit/context.ts'
import type { Asked, GateContext, GatedCall, Wait } from '../../kit/gate.ts'
import { canonical } from '../../kit/json.ts'
import { earlierAnswer, repeatOf } from './idempotency.ts'
import { actorOf, type Call, type refusalWriter } from './perform.ts'
import type { Platform } from './platform.ts'

type Ruled = Call & { caller: Caller; ruling: Ruling }

/** The event that the ledger is told of when somebody is asked. */
const wanted = 'agent_tools.approvals.wanted'
/** And the one that says so of its run, to whoever follows the thread. */
const parked = 'threads.runs.moved'

/** Null: go on. A wait: say so, and carry nothing out. A refusal is thrown, and written to the ledger. */
export function gatekeeper(
  platform: Platform,
  refused: ReturnType<typeof refusalWriter>,
  id: string,
  operation: Operation,
) {
  const { gate, now, database, settings, secretKey } = platform

  function gated(call: Ruled, input: object, digest: string): GatedCall {
    const { caller, ruling, approval } = call
    const args = argumentsOf(input)
    const shownArgs = withoutSecrets(operation, args)
    return {
      ...{ workspaceId: workspaceOf(caller), caller, ruling, operationId: id, args, shownArgs },
      hasSecrets: canonical(shownArgs) !== canonical(args),
      digest,
      approvalId: approval.id,
      reason: approval.reason,
    }
  }

  /** A repeated request gets its first answer, also where the approval of that is used up. */
  async function wasCarriedOut({ caller, origin }: Ruled, input: object): Promise<boolean> {
    const repeat = repeatOf(id, operation, caller, origin, input, settings.sign)
    return repeat !== null && (await earlierAnswer(database, secretKey, repeat)) !== undefined
  }

  function context(call: Ruled, workspaceId: string): GateContext {
    return {
      db: database,
      now,
      ask: async work => {
        const kinds = new Set<string>()
        const value = await database.transaction(async tx => {
          const enqueueIn = platform.jobs.enqueueIn(tx, { requestId: call.origin.requestId })
          const asked = await work(tx, (kind, payload, options) => {
            kinds.add(kind)
            return enqueueIn(kind, payload, options)
          })
          await tell(tx, call, workspaceId, asked)
          return asked.value
        })
        if (kinds.size > 0) platform.jobs.wake(kinds)
        return value
      },
    }
  }

  async function tell(
    tx: Parameters<typeof platform.ledger.append>[0],
    call: Ruled,
    chain: string,
    { wantedId, parkedIn }: Asked<unknown>,
  ) {
    const { run } = call.caller
    const { address, userAgent, requestId } = call.origin
    const about = Object.entries({ tool: call.ruling.name, runId: run?.id, threadId: run?.threadId }).flatMap(
      ([path, after]) => (after ? [{ path, after }] : []),
    )
    const written = (action: string, target: { object: string; id: string }, changes: typeof about) => ({
      chain,
      entry: {
        at: now().toISOString(),
        action,
        outcome: 'success' as const,
        actor: actorOf(call),
        target,
        changes,
        requestId,
        cause: id,
      },
      personal: { address, userAgent, changes: [] },
    })
    const entries = [
      ...(wantedId ? [written(wanted, { object: 'agent_tool_approval', id: wantedId }, about)] : []),
      ...(parkedIn ? [written(parked, { object: 'thread', id: parkedIn }, [])] : []),
    ]
    if (entries.length > 0) await platform.ledger.append(tx, entries, true)
  }

  return {
    async pass(call: Ruled, input: object): Promise<Wait | null> {
      call.digest = digestOf(platform, call.caller, call.ruling, argumentsOf(input))
      if (isPlain(call.ruling) || (await wasCarriedOut(call, input))) return null
      const one = gated(call, input, call.digest)
      const passage = await gate.pass(context(call, one.workspaceId), one)
      if (passage.is === 'refused') {
        const { reason, detail } = passage
        await refused(id, call, { reason, missing: [] })
        throw forbidden(detail, { reason })
      }
      if (passage.is === 'waiting') {
        call.waitsFor = passage.wait.approvalId
        return passage.wait
      }
      if (passage.claim) call.claim = passage.claim
      return null
    },
    /** True where a person would be asked first. */
    rehearse(call: Ruled, input: object): boolean {
      if (isPlain(call.ruling)) return false
      const verdict = gate.rehearse({ ...call, args: argumentsOf(input) })
      if (typeof verdict === 'object') throw forbidden(verdict.detail, { reason: verdict.reason })
      return verdict === 'waiting'
    },
  }
}

/** Nothing depends on what is in the call, nor on how many there were. */
function isPlain({ mode, policy }: Ruling): boolean {
  return mode === 'allow' && (policy === undefined || (policy.argRules.length === 0 && policy.maxCallsPerRun === null))
}

export function workspaceOf({ boundTo, workspaceId }: Caller): string {
  return boundTo ?? workspaceId ?? ''
}

/** The workspace is the approval's own; of content, its hash stands for it. */
function argumentsOf(input: object): Record<string, unknown> {
  const { workspaceId: _, ...args } = input as Record<string, unknown>
  const { content } = args as { content?: { bytes?: unknown } }
  if (!(content?.bytes instanceof Uint8Array)) return args
  return { ...args, content: { ...content, bytes: `sha256:${hash('sha256', content.bytes, 'hex')}` } }
}

/** Keyed, since arguments may hold what could be guessed from a plain hash. */
function digestOf({ settings }: Platform, caller: Caller, { name }: Ruling, args: object): string {
  return settings.sign('tool arguments', `${workspaceOf(caller)} ${name} ${canonical(args)}`)
}

type Marks = {
  'x-secret'?: boolean
  properties?: Record<string, TSchema>
  items?: TSchema
  additionalProperties?: TSchema | boolean
  anyOf?: TSchema[]
}

function withoutSecrets({ path, query, body }: Operation, args: Record<string, unknown>): Record<string, unknown> {
  const parts = [path, query, body].flatMap(schema => (schema ? [schema] : []))
  return masked({ anyOf: parts }, args) as Record<string, unknown>
}

/** What any of the schemas of a place calls secret is not shown, however deep it is. */
function masked(schema: TSchema | Marks | undefined, value: unknown): unknown {
  const { anyOf, properties, items, additionalProperties, ...marks } = (schema ?? {}) as Marks
  if (marks['x-secret'] && value !== null && value !== undefined) return '[secret]'
  let shown = value
  for (const part of anyOf ?? []) shown = masked(part, shown)
  if (Array.isArray(shown)) return items ? shown.map(one => masked(items, one)) : shown
  if (typeof shown !== 'object' || shown === null) return shown
  const others = typeof additionalProperties === 'object' ? additionalProperties : undefined
  return Object.fromEntries(
    Object.entries(shown).map(([name, one]) => [name, masked(properties?.[name] ?? others, one)]),
  )
}
