// Datasets: stores of rows with a time, and the place where they are looked into.
import { Database } from 'lucide-react'
import type { FieldProps } from '../../form/field.ts'
import { whenNeeded } from '../../lazily.tsx'
import { defineArea } from '../define.ts'

const Kind = whenNeeded<FieldProps>('Kind', async () => (await import('./fields.tsx')).Kind)
const Detection = whenNeeded<FieldProps>('Detection', async () => (await import('./fields.tsx')).Detection)

export const page = defineArea({
  icon: Database,
  order: 38,
  words: 'logs traces spans metrics telemetry opentelemetry explore query',
  about: 'Logs, traces, metrics and plain tables. Rows come by the API or from OpenTelemetry senders.',
  none: 'Make one for each kind of rows, then point a telemetry token at it or send rows by the API.',
  labels: {
    slug: 'Name',
    retentionDays: 'Kept for (days)',
    bytes: 'Size',
    firstRowAt: 'Oldest row',
    lastRowAt: 'Newest row',
    issueDetection: 'Issues from errors',
    ownerId: 'Owner',
    q: 'Name or description',
  },
  fields: [
    { name: 'slug', label: 'Name' },
    { name: 'kind', input: Kind },
    'description',
    { name: 'retentionDays', start: 30 },
    { name: 'issueDetection', input: Detection },
    'labels',
    // It is paused and resumed from the menu.
    { name: 'status', isShown: () => false },
  ],
  usual: { orderBy: 'slug', order: 'asc' },
  saved: [
    { title: 'Logs', search: { kind: 'logs' } },
    { title: 'Traces', search: { kind: 'traces' } },
    { title: 'Metrics', search: { kind: 'metrics' } },
    { title: 'Tables', search: { kind: 'table' } },
  ],
  views: () => import('./views.tsx'),
})
