// The webhook of Prometheus Alertmanager, version 4: a group of alerts, each with a status of its own.
import { canonical } from '../../../../kit/json.ts'
import type { Json } from '../payloads.ts'
import { type Fields, fieldsOf, firstAddress, firstText, isFields, textOf } from '../values.ts'
import { collected, digestOf, entriesOf, fingerprintOf, type Mapped, makeAlert, type Said } from './mapped.ts'
import { severityOf } from './severities.ts'
import { code, link, rows } from './words.ts'

export function mapAlertmanager(payload: Json, now: Date): Mapped {
  const group = groupOf(payload, 'Alertmanager')
  if ('reason' in group) return group
  const { receiver, status, externalURL } = group.fields
  return collected(group.alerts, (alert): Said => {
    const fingerprint = groupedFingerprint('alertmanager', alert)
    if (isResolved(alert, status)) return { resolved: fingerprint }
    const { labels, annotations } = alert
    return {
      alert: () =>
        makeAlert(
          {
            ...groupedParts(alert),
            fingerprint,
            url: firstAddress(alert.generatorURL, externalURL),
            body: [...toldIn(annotations), link('Where it comes from', alert.generatorURL), rows(texts(labels))],
            fields: [...entriesOf(labels), ['receiver', receiver], ['expression', expressionIn(alert.generatorURL)]],
          },
          now,
        ),
    }
  })
}

/** Prometheus links to its own page with the expression that fired. */
function expressionIn(address: Json | undefined): string | null {
  const text = textOf(address)
  return (URL.canParse(text) ? new URL(text).searchParams.get('g0.expr') : null) || null
}

/** Grafana sends groups of the same form, with more in each alert. */
export function groupOf(
  payload: Json,
  sender: 'Alertmanager' | 'Grafana',
): { fields: Fields; alerts: Fields[] } | { reason: string } {
  const no = `This is no ${sender} webhook`
  if (!isFields(payload)) return { reason: `${no}: it is not an object.` }
  if (!Array.isArray(payload.alerts)) return { reason: `${no}: it has no list \`alerts\`.` }
  const given = payload.alerts as readonly Json[]
  const alerts = given.filter(isFields).filter(({ labels }) => isFields(labels))
  if (given.length > 0 && alerts.length === 0)
    return { reason: `${no}: none of its \`alerts\` has an object \`labels\`.` }
  return { fields: payload, alerts }
}

/** Of its labels, as the sender itself makes it; the same when it fires and when it is over. */
export function groupedFingerprint(sender: string, alert: Fields): string {
  return fingerprintOf(sender, firstText(alert.fingerprint) || digestOf(canonical(alert.labels)))
}

export function isResolved(alert: Fields, status: Json | undefined): boolean {
  return firstText(alert.status, status).toLowerCase() === 'resolved'
}

/** What both senders say in the same words. */
export function groupedParts({ labels, annotations, startsAt, fingerprint }: Fields) {
  const [marks, notes] = [fieldsOf(labels), fieldsOf(annotations)]
  return {
    title: firstText(notes.summary, notes.title, marks.alertname, notes.description, notes.message),
    severity: severityOf(marks.severity, marks.priority, marks.level),
    resources: resourcesIn(marks),
    externalId: textOf(fingerprint),
    at: startsAt,
  }
}

/** What an alert is about, by the labels that the usual exporters set. */
const resourceLabels = ['service', 'cluster', 'namespace', 'deployment', 'pod', 'node', 'host', 'instance', 'job']

function resourcesIn(labels: Fields): string[] {
  return resourceLabels.flatMap(name => {
    const text = textOf(labels[name])
    return text === '' ? [] : [`${name}/${text}`]
  })
}

/** The annotations: their text first, then the others by name. */
export function toldIn(annotations: Json | undefined): string[] {
  const { description, message, summary, runbook_url: runbook, ...others } = fieldsOf(annotations)
  return [
    textOf(description),
    textOf(message),
    link('Runbook', runbook) || (textOf(runbook) && `Runbook: ${code(textOf(runbook))}`),
    rows(texts(others)),
  ]
}

/** Names that begin with two underscores are the sender's own bookkeeping. */
export function* texts(value: Json | undefined): Generator<readonly [string, string]> {
  for (const [name, member] of entriesOf(value)) if (!name.startsWith('__')) yield [name, textOf(member)]
}
