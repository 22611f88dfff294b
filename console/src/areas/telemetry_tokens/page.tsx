// Telemetry tokens: with them OpenTelemetry senders write into datasets, and do nothing else.
import { RadioTower } from 'lucide-react'
import type { FieldProps } from '../../form/field.ts'
import { whenNeeded } from '../../lazily.tsx'
import { defineArea } from '../define.ts'

const Routes = whenNeeded<FieldProps>('Routes', async () => (await import('./fields.tsx')).Routes)
const Limits = whenNeeded<FieldProps>('Limits', async () => (await import('./fields.tsx')).Limits)
const Defaults = whenNeeded<FieldProps>('Defaults', async () => (await import('./fields.tsx')).Defaults)

export const page = defineArea({
  title: 'Telemetry tokens',
  one: 'Telemetry token',
  icon: RadioTower,
  group: 'Access',
  order: 5,
  words: 'otel opentelemetry otlp ingest collector sdk logs traces metrics',
  about: 'Let OpenTelemetry senders write into your datasets. A token opens nothing else.',
  none: 'Create one for each sender. You get the settings for SDKs and collectors with it.',
  columns: ['name', 'hint', 'status', 'lastUsedAt', 'accepted30d', 'rejected30d', 'expiresAt'],
  labels: {
    hint: 'Secret',
    ownerId: 'Owner',
    lastUsedAt: 'Last used',
    accepted30d: 'Taken in 30 days',
    rejected30d: 'Refused in 30 days',
    bytes30d: 'Size in 30 days',
    lastError: 'Last error',
    expiresAt: 'Expires',
    resourceDefaults: 'Attributes added',
    allowedOrigins: 'Sites that may send',
  },
  hidden: ['oldSecretUntil'],
  fields: [
    { name: 'name', group: 'Token', about: 'Say what sends with it.' },
    { name: 'expiresAt', group: 'Token', about: 'Empty: it does not expire.' },
    { name: 'routes', group: 'Datasets', label: 'Where it writes', input: Routes },
    { name: 'limits', group: 'Limits', label: 'Limits', input: Limits },
    { name: 'resourceDefaults', group: 'More', input: Defaults },
    {
      name: 'allowedOrigins',
      group: 'More',
      about: 'For pages that send from a browser, such as https://shop.example.com. Empty: no page may.',
    },
    // It is revoked from the menu.
    { name: 'status', isShown: () => false },
  ],
  usual: { orderBy: 'name', order: 'asc' },
  saved: [
    { title: 'Active', search: { status: 'active' } },
    { title: 'Revoked', search: { status: 'revoked' } },
  ],
  views: () => import('./views.tsx'),
})
