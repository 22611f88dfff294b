// What tools send to PagerDuty (Events API v2), and what PagerDuty itself sends on (webhooks, version 3).
import type { Json } from '../payloads.ts'
import { type Fields, fieldsOf, firstAddress, firstText, isFields, listOf, textOf } from '../values.ts'
import { digestOf, entriesOf, fingerprintOf, type Mapped, makeAlert, nothing, over, single } from './mapped.ts'
import { severityOf } from './severities.ts'
import { code, link, rows } from './words.ts'

export function mapPagerduty(payload: Json, now: Date): Mapped {
  if (!isFields(payload)) return { reason: 'This is no PagerDuty event: it is not an object.' }
  if (isFields(payload.event)) return ofWebhook(payload.event, now)
  if (payload.event_action !== undefined) return ofEvent(payload, now)
  return { reason: 'This is no PagerDuty event: it has neither `event_action` nor an object `event`.' }
}

/** `routing_key` opens the sender's account, and is read nowhere. */
function ofEvent({ event_action: action, dedup_key: key, payload, ...more }: Fields, now: Date): Mapped {
  const known = firstText(key)
  switch (action) {
    case 'trigger':
      return isFields(payload)
        ? ofTrigger(known, payload, more, now)
        : { reason: 'This PagerDuty event has no object `payload`.' }
    case 'acknowledge':
      return nothing('Somebody has acknowledged it.')
    case 'resolve':
      if (known === '') return { reason: 'This PagerDuty event resolves something and has no `dedup_key`.' }
      return over(eventFingerprint(known))
    default:
      return { reason: 'The `event_action` of a PagerDuty event is `trigger`, `acknowledge` or `resolve`.' }
  }
}

function eventFingerprint(key: string): string {
  return fingerprintOf('pagerduty', key)
}

function ofTrigger(key: string, event: Fields, { client, client_url: home, links, images }: Fields, now: Date): Mapped {
  const { summary, source, component, group, class: kind, custom_details: details } = event
  const title = firstText(summary)
  if (title === '') return { reason: 'This PagerDuty event has no `payload.summary`.' }
  const [what, where] = [textOf(component), textOf(source)]
  // Without a key PagerDuty would make a new incident each time; here the same words are the same problem.
  const known = key || digestOf(title, where, what, textOf(group), textOf(kind))
  const linked = listOf(links).map(fieldsOf)
  const alert = makeAlert(
    {
      title,
      fingerprint: eventFingerprint(known),
      severity: severityOf(event.severity),
      body: [
        rows([
          ['source', where],
          ['component', what],
          ['group', textOf(group)],
          ['class', textOf(kind)],
        ]),
        typeof details === 'string' ? details : rows(shown(details)),
        ...linked.slice(0, 20).map(({ href, text }) => link(wordsOf(text, 'Link'), href)),
        ...listOf(images)
          .slice(0, 20)
          .map(fieldsOf)
          .map(({ src, alt }) => link(wordsOf(alt, 'Picture'), src)),
        link(wordsOf(client, 'Where it comes from'), home),
      ],
      resources: [where && `source/${where}`, what && `component/${what}`],
      externalId: key,
      url: firstAddress(home, ...linked.map(({ href }) => href)),
      at: event.timestamp,
      fields: [
        ['source', source],
        ['component', component],
        ['group', group],
        ['class', kind],
        ['client', client],
        ...entriesOf(details),
      ],
    },
    now,
  )
  return single(alert)
}

/** Brackets would end the words of a link. */
function wordsOf(value: Json | undefined, otherwise: string): string {
  return (
    firstText(value)
      .slice(0, 100)
      .toWellFormed()
      .replace(/[[\]\\`\n]/g, ' ')
      .trim() || otherwise
  )
}

function* shown(details: Json | undefined): Generator<readonly [string, string]> {
  for (const [name, value] of entriesOf(details)) {
    yield [name, typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)]
  }
}

/** Those after which something is wrong anew: other changes would count as if it had happened again. */
const troubles: ReadonlySet<string> = new Set(['incident.triggered', 'incident.reopened'])

function ofWebhook({ event_type: type, data, occurred_at: at }: Fields, now: Date): Mapped {
  const kind = textOf(type)
  if (kind === '') return { reason: 'This is no PagerDuty webhook: it has no `event.event_type`.' }
  if (!troubles.has(kind) && kind !== 'incident.resolved') {
    return nothing(`A PagerDuty webhook of the kind ${code(kind.slice(0, 100))}, which brings no alerts.`)
  }
  const incident = fieldsOf(data)
  const id = firstText(incident.id)
  // The key of the event that made it, which a tool may have sent here as well.
  const key = firstText(incident.incident_key) || (id && `incident:${id}`)
  if (key === '') return { reason: 'This PagerDuty incident has neither `id` nor `incident_key`.' }
  if (kind === 'incident.resolved') return over(eventFingerprint(key))
  return single(ofIncident(incident, id, eventFingerprint(key), at, now))
}

function ofIncident(incident: Fields, id: string, fingerprint: string, at: Json | undefined, now: Date) {
  const { title, summary, number, html_url: url, urgency, created_at: created } = incident
  const [service, priority] = [fieldsOf(incident.service), fieldsOf(incident.priority)]
  const teams = listOf(incident.teams).map(team => textOf(fieldsOf(team).summary))
  const told = {
    service: textOf(service.summary),
    priority: textOf(priority.summary),
    urgency: textOf(urgency),
    team: teams.filter(team => team !== '').join(', '),
    policy: textOf(fieldsOf(incident.escalation_policy).summary),
    number: textOf(number),
  }
  return makeAlert(
    {
      title: firstText(title, summary) || `Incident ${told.number || id}`,
      fingerprint,
      severity: severityOf(priority.summary, urgency),
      body: [rows(Object.entries(told)), link('The incident at PagerDuty', url)],
      resources: [told.service && `service/${told.service}`],
      externalId: id,
      url,
      at: at ?? created,
      fields: Object.entries(told),
    },
    now,
  )
}
