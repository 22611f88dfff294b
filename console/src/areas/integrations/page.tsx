// Integrations: events out, alerts in, and tools of others.
import { Plug } from 'lucide-react'
import { defineArea } from '../define.ts'

export const page = defineArea({
  icon: Plug,
  order: 45,
  one: 'Integration',
  words: 'webhook slack discord teams mattermost github gitlab gitea prometheus mcp e-mail inbound deliveries hooks',
  about: 'Connections to other systems: events out, alerts in, and tools of others.',
  none: 'Connect one: a webhook, a chat, a monitoring system, a git host or an MCP server.',
  columns: ['name', 'type', 'status', 'events', 'lastSuccessAt', 'lastFailureAt'],
  labels: { ownerId: 'Owner', lastSuccessAt: 'Last success', lastFailureAt: 'Last failure', q: 'Name' },
  usual: { orderBy: 'name', order: 'asc' },
  saved: [
    { title: 'Failing', search: { status: 'failing' } },
    { title: 'Disabled', search: { status: 'disabled' } },
    { title: 'Paused', search: { status: 'paused' } },
  ],
  views: () => import('./views.tsx'),
})
