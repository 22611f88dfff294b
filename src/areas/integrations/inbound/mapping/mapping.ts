// The forms in which other systems send alerts, and the way from each of them to ours.
import type { Json, Received } from '../payloads.ts'
import { mapAlertmanager } from './alertmanager.ts'
import { mapCloudevents } from './cloudevents.ts'
import { type Mapping, mapGeneric } from './generic.ts'
import { mapGrafana } from './grafana.ts'
import type { Mapped } from './mapped.ts'
import { mapPagerduty } from './pagerduty.ts'
import { mapSentry } from './sentry.ts'

export { checkMapping, type Mapping } from './generic.ts'
export type { Mapped } from './mapped.ts'

export const formats = ['generic', 'alertmanager', 'grafana', 'sentry', 'pagerduty', 'cloudevents'] as const
export type Format = (typeof formats)[number]

/** It never throws, whatever the payload is. `mapping` is that of a generic integration, and null for all others. */
export function mapPayload(
  format: Format,
  mapping: Mapping | null | undefined,
  received: Received,
  payload: Json,
  now: Date,
): Mapped {
  switch (format) {
    case 'alertmanager':
      return mapAlertmanager(payload, now)
    case 'grafana':
      return mapGrafana(payload, now)
    case 'sentry':
      return mapSentry(received, payload, now)
    case 'pagerduty':
      return mapPagerduty(payload, now)
    case 'cloudevents':
      return mapCloudevents(received, payload, now)
    case 'generic':
      return mapping ? mapGeneric(mapping, payload, now) : { reason: 'This integration has no `config.mapping`.' }
  }
}
