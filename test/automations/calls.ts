// The rows of inputs of automations.
import type { automations } from '../../src/areas/automations/contract.ts'
import * as executions from '../../src/areas/automations/executions/store.ts'
import { AutomationId, type Definition, ExecutionId } from '../../src/areas/automations/fields/contract.ts'
import * as store from '../../src/areas/automations/store.ts'
import { insertVersion } from '../../src/areas/automations/versions/store.ts'
import type { Caller } from '../../src/kit/context.ts'
import { newId } from '../../src/kit/random.ts'
import { sql } from '../../src/kit/sql.ts'
import { hintOf, newToken, tokenHash } from '../../src/kit/tokens.ts'
import type { CallRow, World } from '../calls.ts'
import type { TestCaller } from '../helpers/platform.ts'

const inWorkspace = ({ workspaceId }: World) => ({ workspaceId })

const definition: Definition = {
  triggers: [{ on: 'manual' }, { on: 'webhook' }],
  condition: null,
  steps: [{ id: 'pause', do: 'wait', with: { seconds: 3_600 } }],
  grants: [],
  concurrency: 'parallel',
  timeoutSeconds: 600,
  retry: null,
  missed: 'skip',
  maxPerHour: 10_000,
}

/** By its store, so that it can belong to somebody who may make none. */
export async function automationIn({ p, workspaceId }: World, { userId }: TestCaller) {
  const id = newId(AutomationId)
  const { grants, ...kept } = definition
  const token = newToken('ahk')
  const made = {
    ...{
      id,
      workspaceId,
      ownerId: userId,
      grantedBy: userId,
      name: 'Call automation',
      description: null,
      enabled: true,
    },
    ...{ definition: kept, grants, events: [], people: [], fromSeq: 0, hookHint: hintOf(token), hookSecret: {} },
  }
  const version = { workspaceId, automationId: id, version: 1, name: made.name, definition: kept, grants, people: [] }
  const author = { ownerId: userId, callerKind: null } as Caller
  await p.database.transaction(async tx => {
    await store.insert(tx, made, p.now())
    await insertVersion(tx, version, author, p.now())
    await store.replaceHook(tx, id, tokenHash(token), p.now())
  })
  return { workspaceId, id, token }
}

const oneIn = async (w: World, caller: TestCaller) => {
  const { workspaceId, id } = await automationIn(w, caller)
  return { workspaceId, id }
}

async function executionIn(w: World, caller: TestCaller, status = 'waiting') {
  const { workspaceId, id } = await oneIn(w, caller)
  const executionId = newId(ExecutionId)
  const acting = { id, workspaceId, version: 1, grantedBy: caller.userId, grants: [] }
  const one = {
    ...{ id: executionId, triggerOn: 'manual' as const, triggerAt: w.p.now(), eventSeq: null, event: null },
    ...{ byUserId: null, data: { on: 'manual' }, people: [], causes: [], rerunOf: null, waitsUntil: null },
  }
  await executions.insertExecutions(w.p.database, acting, [one], w.p.now())
  await w.p.database.query(sql`
    update automation_executions set status = ${status}, waits_until = ${new Date(w.p.now().getTime() + 3_600_000)}
    where id = ${executionId}`)
  return { workspaceId, id, executionId }
}

export const calls: Readonly<Record<keyof typeof automations.operations, CallRow>> = {
  'automations.list': { input: inWorkspace },
  'automations.get': { input: oneIn },
  'automations.post': {
    input: w => ({
      ...{ ...inWorkspace(w), name: 'Call automation', triggers: [{ on: 'manual' }, { on: 'webhook' }], grants: [] },
      steps: [{ do: 'wait', with: { seconds: 60 } }],
    }),
  },
  'automations.patch': {
    input: async (w, caller) => ({
      ...{ ...(await oneIn(w, caller)), name: 'Renamed automation' },
      triggers: [{ on: 'manual' }, { on: 'webhook', signed: true }],
    }),
  },
  'automations.del': { input: oneIn },
  'automations.trigger': { input: oneIn },
  'automations.dryRun': { input: oneIn },
  'automations.check': { input: w => ({ ...inWorkspace(w), definition: { ...definition } }) },
  'automations.schema': { input: () => ({}) },
  'automations.rotateHook': { input: oneIn },
  'automations.hook': {
    input: async (w, caller) => {
      const { token } = await automationIn(w, caller)
      return { token, content: { kind: 'any', bytes: Buffer.from('{"ref":"main"}') } }
    },
  },
  'automations.executions.list': { input: oneIn },
  'automations.executions.get': { input: (w, caller) => executionIn(w, caller) },
  'automations.executions.rerun': { input: (w, caller) => executionIn(w, caller, 'succeeded') },
  'automations.executions.cancel': { input: (w, caller) => executionIn(w, caller) },
  'automations.versions.list': { input: oneIn },
  'automations.versions.get': { input: async (w, caller) => ({ ...(await oneIn(w, caller)), version: '1' }) },
  'automations.versions.revert': { input: async (w, caller) => ({ ...(await oneIn(w, caller)), version: '1' }) },
  'automations.templates': { input: () => ({}) },
  'automations.templates.install': {
    input: w => ({ ...inWorkspace(w), template: 'failed-deploys', enabled: false }),
    gives: ['issues:write'],
  },
}
