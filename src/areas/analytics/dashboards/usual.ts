// What each role sees first where nobody has changed it.
import type { Role } from '../../../contract/permissions.ts'
import type { Tile } from './tiles.ts'

const issues: readonly Tile[] = [
  { show: 'figure', last: '7d', metrics: ['issues.open'], compare: 'previous', title: 'Open issues' },
  { show: 'figure', last: '7d', metrics: ['issues.opened'], compare: 'previous', title: 'New issues' },
  { show: 'figure', last: '7d', metrics: ['issues.resolved'], compare: 'previous', title: 'Resolved issues' },
  { show: 'line', last: '30d', metrics: ['issues.open'], groupBy: ['severity'], title: 'Open issues by severity' },
]

const work: readonly Tile[] = [
  { show: 'bars', last: '30d', metrics: ['runs.finished'], groupBy: ['status'], title: 'Runs of agents' },
  { show: 'line', last: '90d', metrics: ['autofixes.merged'], granularity: 'week', title: 'Autofixes merged' },
]

const running: readonly Tile[] = [
  { show: 'line', last: '30d', metrics: ['members.active'], title: 'People who changed something' },
  { show: 'bars', last: '30d', metrics: ['api.requests'], groupBy: ['status'], title: 'Requests by status' },
  { show: 'line', last: '30d', metrics: ['agent.cost'], groupBy: ['model'], title: 'Cost of agents by model' },
  {
    show: 'bars',
    last: '30d',
    metrics: ['automations.executions'],
    groupBy: ['status'],
    title: 'Executions of automations',
  },
]

export const usualTiles: Readonly<Record<Role, readonly Tile[]>> = {
  owner: [...issues, ...work, ...running],
  admin: [...issues, ...work, ...running],
  member: [...issues, ...work],
  viewer: issues,
}
