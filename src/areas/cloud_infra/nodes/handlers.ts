// Carries out the operations on nodes.
import { conflict } from '../../../contract/errors.ts'
import type { Caller } from '../../../kit/context.ts'
import type { Db } from '../../../kit/db.ts'
import { implement } from '../../../kit/implement.ts'
import { found, patched, unique } from '../../../kit/outcomes.ts'
import { reachOf } from '../../../kit/owned.ts'
import { newId } from '../../../kit/random.ts'
import { refuseUnknown } from '../../../kit/references.ts'
import { directory } from '../../../operations.ts'
import * as labels from '../../labels/store.ts'
import { enter } from '../../workspaces/entering/store.ts'
import { keepAlive } from '../../workspaces/store.ts'
import { digestOf, type Facts, refuseLarge, withoutSecrets } from '../accepting.ts'
import { differences } from '../applying/differences.ts'
import { changeOf } from '../applying/nodes.ts'
import * as applying from '../applying/store.ts'
import { NodeId } from '../fields/contract.ts'
import { checkedRules, type Judged, tierBy } from '../tiers/rules.ts'
import { findRules } from '../tiers/store.ts'
import { nodes } from './contract.ts'
import * as store from './store.ts'

const taken = [
  'cloud_infra_nodes__key',
  'There is a node with this type and external id already; change that one, or choose another external id.',
] as const

/** Of a node that a source tells of: what is changed there. */
const ofSource = ['name', 'category', 'properties', 'tags'] as const

export default implement(nodes, {
  'cloud_infra.nodes.list': ({ db }, { workspaceId, ...query }) => store.pageOfNodes(db, query, workspaceId),

  'cloud_infra.nodes.search': async ({ db }, { workspaceId, q, perPage = 20 }) => {
    const items = await store.searched(db, workspaceId, q.trim(), perPage)
    return { items }
  },

  'cloud_infra.nodes.get': ({ db }, { workspaceId, id, at }) => existing(db, workspaceId, id, at),

  'cloud_infra.nodes.post': async ({ db, caller, now }, input) => {
    const { workspaceId, name, type, externalId = name, provider = 'manual', region = '' } = input
    const { category = 'other', properties = {}, tags = {}, tier = null, teamId = null, accountId = null } = input
    refuseLarge('properties', properties)
    await enter(db, caller, workspaceId)
    await refuseStrangers(db, caller, workspaceId, { teamId, accountId })
    const facts = withoutSecrets({ name, category, properties, tags })
    const judged = { ...facts, type, provider, region, externalId }
    const id = newId(NodeId)
    const at = now()
    await unique(
      store.insert(
        db,
        {
          ...{ ...judged, id, workspaceId, ownerId: caller.ownerId, accountId, teamId, digest: digestOf(facts) },
          ...{ tier: tier ?? (await tierOf(db, workspaceId, judged)), tierSource: tier ? 'manual' : 'auto', category },
        },
        at,
      ),
      ...taken,
    )
    const changes = [changeOf({ id, name: facts.name, type }, 'added', [])]
    await applying.insertChanges(db, { workspaceId, id: accountId }, { at, syncId: null }, changes)
    await labels.changeLabels(db, workspaceId, [{ object: 'node', id, add: input.labels ?? [] }])
    return await existing(db, workspaceId, id)
  },

  'cloud_infra.nodes.patch': async ({ db, caller, now, note }, { workspaceId, id, ...fields }) => {
    refuseLarge('properties', fields.properties)
    await keepAlive(db, workspaceId)
    await refuseStrangers(db, caller, workspaceId, { teamId: fields.teamId ?? null, accountId: null })
    await store.lock(db, workspaceId, id)
    const before = await existing(db, workspaceId, id)
    refuseTold(before, fields)
    return await patched(note, before, fields, async () => {
      const at = now()
      const { name = before.name, category = before.category, properties, tags } = fields
      const facts = withoutSecrets({
        ...{ name, category },
        ...{ properties: properties ?? before.properties, tags: tags ?? before.tags },
      } as Facts)
      const isManual = fields.tier === undefined ? before.tierSource === 'manual' : fields.tier !== null
      const tier = isManual ? (fields.tier ?? before.tier) : await tierOf(db, workspaceId, { ...before, ...facts })
      const status = fields.status ?? before.status
      const diff = differences(before, { ...facts, tier, status })
      if (diff.length > 0) await applying.keepStates(db, [id], at)
      await store.update(db, id, {
        ...{ ...facts, digest: digestOf(facts), tier, tierSource: isManual ? 'manual' : 'auto', status },
        ...{ teamId: fields.teamId, updated: at, since: diff.length > 0 ? at : undefined },
      })
      if (status !== before.status) await moved(db, id, status, at)
      const changes = diff.length > 0 ? [changeOf({ ...before, name: facts.name }, 'changed', diff)] : []
      await applying.insertChanges(db, { workspaceId, id: before.accountId }, { at, syncId: null }, changes)
      if (fields.labels) await labels.changeLabels(db, workspaceId, [{ object: 'node', id, only: fields.labels }])
      return await existing(db, workspaceId, id)
    })
  },

  'cloud_infra.nodes.del': async ({ db, caller, access, now, note }, { workspaceId, id }) => {
    const reach = reachOf(access, caller)
    await keepAlive(db, workspaceId)
    await store.lock(db, workspaceId, id)
    await found(store.isOf(db, workspaceId, id, reach), 'node')
    const before = await existing(db, workspaceId, id)
    note({ before })
    if (before.source === 'manual') await store.remove(db, workspaceId, id, reach)
    else await ignore(db, before, now())
    return { workspaceId, id, _object: 'node' as const }
  },
})

function existing(db: Db, workspaceId: string, id: string, at?: string) {
  return found(store.find(db, workspaceId, id, at), 'node')
}

async function ignore(db: Db, node: store.NodeRow, at: Date): Promise<void> {
  if (node.status === 'ignored') return
  const { id, workspaceId, accountId, status } = node
  await applying.keepStates(db, [id], at)
  await applying.endNodes(db, [id], 'ignored', at)
  const changes = [changeOf(node, 'removed', [{ path: 'status', before: status, after: 'ignored' }])]
  await applying.insertChanges(db, { workspaceId, id: accountId }, { at, syncId: null }, changes)
}

async function moved(db: Db, id: string, status: string, at: Date): Promise<void> {
  if (status === 'ignored') await applying.endNodes(db, [id], 'ignored', at)
  else await store.unhide(db, id)
}

/** 409 where the next sync would take it back. */
function refuseTold({ source }: store.NodeRow, fields: Readonly<Record<string, unknown>>): void {
  const field = ofSource.find(name => fields[name] !== undefined)
  if (source === 'manual' || !field) return
  throw conflict(`"${field}" comes from the node's source; change it there. Tier, team, labels and status are yours.`, {
    field,
    source,
  })
}

async function refuseStrangers(
  db: Db,
  caller: Caller,
  workspaceId: string,
  { teamId, accountId }: { teamId: string | null; accountId: string | null },
): Promise<void> {
  const one = (object: string, id: string | null) => (id === null ? [] : [{ object, id }])
  await refuseUnknown(db, directory, caller, workspaceId, one('team', teamId), 'teamId')
  await refuseUnknown(db, directory, caller, workspaceId, one('cloud_account', accountId), 'accountId')
}

async function tierOf(db: Db, workspaceId: string, node: Judged) {
  return tierBy(checkedRules((await findRules(db, workspaceId))?.rules ?? []))(node)
}
