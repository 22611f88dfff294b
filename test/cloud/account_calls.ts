// The rows of inputs of cloud accounts.
import type { cloudAccounts } from '../../src/areas/cloud_accounts/contract.ts'
import { CloudAccountId, type Provider } from '../../src/areas/cloud_accounts/fields/contract.ts'
import * as store from '../../src/areas/cloud_accounts/store.ts'
import { newId } from '../../src/kit/random.ts'
import { sql } from '../../src/kit/sql.ts'
import type { CallRow, World } from '../calls.ts'
import type { TestCaller } from '../helpers/platform.ts'
import { mirroredIn } from '../repositories/calls.ts'

let count = 0
const inWorkspace = ({ workspaceId }: World) => ({ workspaceId })

type Named = { workspaceId: string; id: string }

const made = new Map<string, string[]>()
/** A workspace has at most 50: those that no test looks at any more go. */
const mostKept = 15

/** By the area's own statement, so that it can belong to somebody who may make none. */
export async function accountIn(
  { p, workspaceId }: World,
  { userId }: TestCaller,
  provider: Provider = 'push',
  config: store.Config = {},
): Promise<Named> {
  const id = newId(CloudAccountId)
  const fields = { id, ownerId: userId, name: `Account ${count++}`, provider, config, mode: 'read_only' as const }
  const rest = { externalId: null, regions: [], trustExternalId: null, syncIntervalMinutes: null, secrets: {} }
  await p.database.transaction(tx => store.insert(tx, workspaceId, { ...fields, ...rest }, p.now()))
  const ids = [...(made.get(workspaceId) ?? []), id]
  const old = ids.splice(0, Math.max(0, ids.length - mostKept))
  made.set(workspaceId, ids)
  await p.database.query(sql`delete from cloud_accounts where id = any(${old}::text[])`)
  return { workspaceId, id }
}

/** One of its own, since only one sync of an account goes on at a time. */
async function readableIn(w: World): Promise<Named> {
  const { id: repositoryId } = await mirroredIn(w)
  return await accountIn(w, w.owner, 'manifests', { repositoryId })
}

/** Of hand-written form: one machine. */
export const smallState = {
  version: 4,
  terraform_version: '1.9.0',
  serial: 1,
  lineage: '0f5a3c1e-0000-4000-8000-000000000001',
  outputs: {},
  resources: [
    {
      mode: 'managed',
      type: 'aws_instance',
      name: 'web',
      provider: 'provider["registry.terraform.io/hashicorp/aws"]',
      instances: [{ schema_version: 1, attributes: { id: 'i-1', instance_type: 't3.small' } }],
    },
  ],
}

export const asContent = (state: object) => ({ content: { kind: 'json', bytes: Buffer.from(JSON.stringify(state)) } })

export const calls: Readonly<Record<keyof typeof cloudAccounts.operations, CallRow>> = {
  'cloud_accounts.catalog': { input: () => ({}) },
  'cloud_accounts.list': { input: inWorkspace },
  'cloud_accounts.get': { input: (w, caller) => accountIn(w, caller) },
  'cloud_accounts.setup': { input: (w, caller) => accountIn(w, caller) },
  'cloud_accounts.syncs.list': { input: (w, caller) => accountIn(w, caller) },
  'cloud_accounts.post': {
    input: async w => {
      await forgetPosted(w)
      return { ...inWorkspace(w), name: `Posted ${count++}`, provider: 'push' }
    },
  },
  'cloud_accounts.patch': {
    input: async (w, caller) => ({ ...(await accountIn(w, caller)), name: `Changed ${count++}` }),
  },
  'cloud_accounts.validate': { input: (w, caller) => accountIn(w, caller) },
  'cloud_accounts.sync': { input: readableIn },
  'cloud_accounts.state.put': {
    input: async (w, caller) => ({ ...(await accountIn(w, caller, 'terraform_state')), ...asContent(smallState) }),
  },
  'cloud_accounts.del': { input: (w, caller) => accountIn(w, caller) },
}

async function forgetPosted({ p, workspaceId }: World): Promise<void> {
  await p.database.query(sql`
    delete from cloud_accounts where id in (select id from cloud_accounts
      where workspace_id = ${workspaceId} and name like 'Posted %' order by created desc offset 10)`)
}
