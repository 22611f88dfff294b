// The webhook contact point of Grafana alerting: groups as Alertmanager has them, with values, panels and silences.
import type { Json } from '../payloads.ts'
import { firstAddress, textOf } from '../values.ts'
import { groupedFingerprint, groupedParts, groupOf, isResolved, texts, toldIn } from './alertmanager.ts'
import { collected, entriesOf, type Mapped, makeAlert, type Said } from './mapped.ts'
import { code, link, rows } from './words.ts'

export function mapGrafana(payload: Json, now: Date): Mapped {
  const group = groupOf(payload, 'Grafana')
  if ('reason' in group) return group
  const { receiver, status, orgId, externalURL } = group.fields
  return collected(group.alerts, (alert): Said => {
    const fingerprint = groupedFingerprint('grafana', alert)
    if (isResolved(alert, status)) return { resolved: fingerprint }
    const { labels, annotations, values, valueString } = alert
    return {
      alert: () =>
        makeAlert(
          {
            ...groupedParts(alert),
            fingerprint,
            url: firstAddress(alert.generatorURL, alert.panelURL, alert.dashboardURL, externalURL),
            body: [
              ...toldIn(annotations),
              linksOf(alert),
              // Older versions say it as one text.
              rows(texts(values)) || code(textOf(valueString)),
              rows(texts(labels)),
            ],
            fields: [
              ...[...entriesOf(labels)].filter(([name]) => !name.startsWith('__')),
              ...entriesOf(values, 'value'),
              ['dashboardURL', alert.dashboardURL],
              ['panelURL', alert.panelURL],
              ['receiver', receiver],
              ['orgId', orgId],
            ],
          },
          now,
        ),
    }
  })
}

function linksOf({ generatorURL, dashboardURL, panelURL, silenceURL, imageURL }: Readonly<Record<string, Json>>) {
  return [
    link('Rule', generatorURL),
    link('Dashboard', dashboardURL),
    link('Panel', panelURL),
    link('Picture', imageURL),
    link('Silence it', silenceURL),
  ]
    .filter(text => text !== '')
    .join(' · ')
}
