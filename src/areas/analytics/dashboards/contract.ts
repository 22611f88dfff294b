// Dashboards: the tiles that somebody sees first, their own, or those of their role.
import { Type } from 'typebox'
import { WorkspaceId } from '../../../contract/ids.ts'
import { area } from '../../../contract/operation.ts'
import { roles } from '../../../contract/permissions.ts'
import { choice, nullable, object, record } from '../../../contract/records.ts'
import { agentCallers } from '../../../contract/scopes.ts'
import { asked, granularities } from '../fields/contract.ts'

const mostTiles = 24

export const lasts = ['1d', '7d', '30d', '90d', '365d'] as const

const Tile = object({
  title: Type.Optional(Type.String({ minLength: 1, maxLength: 120, examples: ['Issues this month'] })),
  show: choice(['figure', 'line', 'bars', 'table'], { examples: ['line'] }),
  last: choice(lasts, { description: 'The days that end now.', examples: ['30d'] }),
  ...asked,
  // No defaults: what is not said is not kept, and follows who looks.
  granularity: Type.Optional(choice(granularities, { description: 'Otherwise what suits `last`.' })),
  timezone: Type.Optional(
    Type.String({ maxLength: 64, description: 'Otherwise that of whoever looks.', examples: ['Europe/Berlin'] }),
  ),
})

const Dashboard = record('AnalyticsDashboard', {
  role: choice(roles),
  source: choice(['own', 'workspace', 'usual'], {
    description: 'own: the caller’s. workspace: that of the role. usual: nobody has changed it.',
  }),
  tiles: Type.Array(Tile),
})

const body = object({
  tiles: nullable(
    Type.Array(Tile, {
      maxItems: mostTiles,
      description: 'All of them, in order; null goes back to what there would be otherwise.',
    }),
  ),
})
const path = object({ workspaceId: WorkspaceId, role: choice(roles, { examples: ['member'] }) })
const own = object({ workspaceId: WorkspaceId })

export const dashboards = area('analytics.dashboards', {
  'analytics.dashboards.mine': {
    summary: 'Show the tiles of my dashboard',
    description: 'Your own where you have changed it, otherwise those of your role.',
    route: 'GET /v1/analytics/{workspaceId}/dashboards/me',
    words: 'home start page tiles charts overview',
    access: ['analytics:read'],
    path: own,
    result: Dashboard,
  },
  'analytics.dashboards.putMine': {
    summary: 'Replace the tiles of my dashboard',
    description: 'For signed-in people, each for themselves.',
    route: 'PUT /v1/analytics/{workspaceId}/dashboards/me',
    words: 'home start page edit arrange tiles charts',
    past: 'changed their dashboard in',
    access: ['analytics:read'],
    credentials: ['session'],
    restricted: agentCallers,
    path: own,
    body,
    result: Dashboard,
  },
  'analytics.dashboards.get': {
    summary: 'Show the tiles that a role sees',
    route: 'GET /v1/analytics/{workspaceId}/dashboards/{role}',
    words: 'home start page tiles charts of members viewers admins',
    access: ['analytics:read'],
    path,
    result: Dashboard,
    errors: ['not_found'],
  },
  'analytics.dashboards.put': {
    summary: 'Replace the tiles that a role sees',
    description: 'Who has changed their own dashboard keeps it.',
    route: 'PUT /v1/analytics/{workspaceId}/dashboards/{role}',
    words: 'home start page edit arrange tiles charts for everybody',
    past: 'changed a dashboard of',
    access: ['analytics:export'],
    path,
    body,
    result: Dashboard,
    errors: ['not_found'],
  },
})
