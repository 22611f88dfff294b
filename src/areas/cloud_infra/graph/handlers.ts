// Carries out the questions to the graph.
import { badRequest } from '../../../contract/errors.ts'
import { asRead, implement, staged } from '../../../kit/implement.ts'
import { graph } from './contract.ts'
import { issuesOf, ownersOf, tiersOf } from './impact.ts'
import { healthOf, telemetryOf } from './telemetry.ts'
import { active, pathBetween, walked } from './walking.ts'

const hourMs = 3_600_000
const usual = 200
const deepest = 6

export default implement(graph, {
  'cloud_infra.nodes.neighbours': async ({ db }, { workspaceId, id, ...asked }) => {
    const { direction = 'out', relation = null, limit = usual, at } = asked
    const way = { direction, relation, at }
    const { levels: _, ...found } = await walked(db, workspaceId, id, way, { depth: 1, nodes: limit + 1 })
    return { ...found, nodes: found.nodes.filter(node => node.id !== id) }
  },

  'cloud_infra.traverse': async ({ db }, { workspaceId, from, depth = 3, limit = usual, ...asked }) => {
    const { direction = 'out', relation = null, at } = asked
    const way = { direction, relation, at }
    const { levels, ...found } = await walked(db, workspaceId, from, way, { depth, nodes: limit })
    return { ...found, depths: depthsOf(levels) }
  },

  'cloud_infra.path': ({ db }, { workspaceId, from, to, direction = 'out', relation = null, at }) =>
    pathBetween(db, workspaceId, from, to, { direction, relation, at }),

  'cloud_infra.nodes.impact': staged(async ({ db, call, now }, { workspaceId, id, limit = usual }) => {
    const way = { direction: 'dependents', relation: null, at: undefined } as const
    const { levels, ...found } = await walked(db, workspaceId, id, way, { depth: deepest, nodes: limit + 1 })
    const depths = depthsOf(levels)
    const dependents = found.nodes.filter(node => node.id !== id)
    const span = { from: new Date(now().getTime() - hourMs).toISOString(), to: now().toISOString() }
    return {
      ...found,
      dependents: dependents.map(node => ({ node, depth: depths[node.id] ?? 1 })),
      tiers: tiersOf(dependents),
      owners: await ownersOf(call, workspaceId, found.nodes),
      issues: await issuesOf(call, workspaceId, found.nodes),
      health: await healthOf(call, found.nodes, span),
    }
  }, asRead),

  'cloud_infra.telemetry': staged(async ({ db, call, now }, { workspaceId, id, ...asked }) => {
    const { to = now().toISOString() } = asked
    const { from = new Date(Date.parse(to) - hourMs).toISOString() } = asked
    if (from >= to) {
      throw badRequest('"from" must be before "to".', [{ path: 'from', rule: 'order', expected: 'a time before "to"' }])
    }
    return await telemetryOf(call, await active(db, workspaceId, id, undefined), { from, to })
  }, asRead),
})

function depthsOf(levels: readonly string[][]): Record<string, number> {
  return Object.fromEntries(levels.flatMap((ids, depth) => ids.map(id => [id, depth])))
}
