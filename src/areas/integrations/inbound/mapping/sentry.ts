// Webhooks of Sentry's integration platform: alerts on issues and on metrics, issues that change, single errors.
import type { Json, Received } from '../payloads.ts'
import { type Fields, fieldsOf, firstAddress, firstText, isFields, listOf, textOf } from '../values.ts'
import { digestOf, entriesOf, fingerprintOf, type Mapped, makeAlert, nothing, over, single } from './mapped.ts'
import { severityOf } from './severities.ts'
import { block, code, link, rows } from './words.ts'

/** Where Sentry puts what each kind of webhook is about. */
const places = { event_alert: 'event', error: 'error', metric_alert: 'metric_alert', issue: 'issue' } as const

export function mapSentry({ headers }: Received, payload: Json, now: Date): Mapped {
  const { action, data } = fieldsOf(payload)
  if (!isFields(data)) return { reason: 'This is no Sentry webhook: it has no object `data`.' }
  const resource = headers['sentry-hook-resource'] ?? guessed(data)
  const did = textOf(action)
  switch (resource) {
    case 'event_alert':
    case 'error':
      return isFields(data[places[resource]]) ? ofEvent(fieldsOf(data[places[resource]]), data, now) : missing(resource)
    case 'metric_alert':
      return isFields(data.metric_alert) ? ofMetric(data, did, now) : missing(resource)
    case 'issue':
      return isFields(data.issue) ? ofIssue(data.issue, did, now) : missing(resource)
    case undefined:
      return { reason: 'This is no Sentry webhook: nothing says what it is about.' }
    default:
      return nothing(`A Sentry webhook about ${code(resource.slice(0, 50))}, which brings no alerts.`)
  }
}

/** Relays lose headers; what the payload holds tells as much. */
function guessed(data: Fields): keyof typeof places | undefined {
  return (Object.keys(places) as (keyof typeof places)[]).find(resource => isFields(data[places[resource]]))
}

function missing(resource: keyof typeof places): Mapped {
  return { reason: `This Sentry webhook of the kind ${resource} has no object \`data.${places[resource]}\`.` }
}

/** Everything about one of Sentry's issues is one problem here, whichever webhook tells of it. */
function issueFingerprint(id: string): string {
  return fingerprintOf('sentry', 'issue', id)
}

function ofEvent(event: Fields, data: Fields, now: Date): Mapped {
  const id = issueIdOf(event)
  const title = titleOf(event)
  if (id === '' && title === '') return { reason: 'This Sentry event has neither an issue nor a title.' }
  const known = id === '' ? digestOf(title, textOf(event.culprit), textOf(event.project)) : id
  const tags = new Map(listOf(event.tags).flatMap(tagOf))
  const rule = firstText(data.triggered_rule, fieldsOf(data.issue_alert).title)
  const alert = makeAlert(
    {
      title,
      fingerprint: issueFingerprint(known),
      severity: severityOf(event.level, tags.get('level')),
      body: [
        textOf(event.message),
        stackOf(event),
        rows([['culprit', textOf(event.culprit)], ['rule', rule], ...tags]),
        link('The event at Sentry', event.web_url),
      ],
      resources: resourcesOf(projectIn(event.url)),
      externalId: id || textOf(event.event_id),
      url: event.web_url,
      at: firstKnown(event.datetime, event.timestamp),
      fields: [
        ['project', projectIn(event.url) || event.project],
        ['level', event.level],
        ['culprit', event.culprit],
        ['platform', event.platform],
        ['release', event.release],
        ['rule', rule],
        ['eventId', event.event_id],
        ...tags,
      ],
    },
    now,
  )
  return single(alert)
}

/** Older versions name the issue by its address alone. */
function issueIdOf({ issue_id: id, issue_url: address }: Fields): string {
  return firstText(id) || (/\/issues\/(\d+)\/?$/.exec(textOf(address))?.[1] ?? '')
}

function titleOf({ title, metadata, message, culprit }: Fields): string {
  const { type, value } = fieldsOf(metadata)
  const told = [textOf(type), textOf(value)].filter(text => text !== '').join(': ')
  return firstText(title, told, message, culprit)
}

function tagOf(tag: Json): (readonly [string, string])[] {
  // Pairs in events, objects in what Sentry's interface answers.
  const [name, value] = Array.isArray(tag) ? tag : [fieldsOf(tag).key, fieldsOf(tag).value]
  return textOf(name) === '' ? [] : [[textOf(name), textOf(value)]]
}

const mostFrames = 20

/** The last exception is the one that was seen; the frame in which it happened comes first, as people read it. */
function stackOf({ exception }: Fields): string {
  const last = fieldsOf(listOf(fieldsOf(exception).values).at(-1))
  const frames = listOf(fieldsOf(last.stacktrace).frames).slice(-mostFrames).reverse()
  const head = [textOf(last.type), textOf(last.value)].filter(text => text !== '').join(': ')
  const lines = frames.map(fieldsOf).map(({ function: name, filename, abs_path: path, lineno }) => {
    const place = [firstText(filename, path), textOf(lineno)].filter(text => text !== '').join(':')
    return `  at ${textOf(name) || '?'}${place && ` (${place})`}`
  })
  return block([head, ...lines].filter(text => text !== '').join('\n'))
}

/** `…/projects/<organisation>/<project>/events/…` */
function projectIn(address: Json | undefined): string {
  return /\/projects\/[^/]+\/([^/]+)\//.exec(textOf(address))?.[1] ?? ''
}

function resourcesOf(...projects: readonly string[]): string[] {
  return projects.filter(project => project !== '').map(project => `project/${project}`)
}

function firstKnown(...values: readonly (Json | undefined)[]): Json | undefined {
  return values.find(value => value !== undefined && value !== null)
}

function ofIssue(issue: Fields, action: string, now: Date): Mapped {
  const id = firstText(issue.id)
  if (id === '') return { reason: 'This Sentry issue has no `id`.' }
  if (action === 'resolved') return over(issueFingerprint(id))
  // What is archived is not over: Sentry is quiet about it until it gets worse, and then says `unresolved`.
  if (action !== 'created' && action !== 'unresolved') return nothing(`A Sentry issue was ${doneIn(action)}.`)
  const project = fieldsOf(issue.project)
  const name = firstText(project.slug, project.name)
  const url = firstAddress(issue.web_url, issue.permalink)
  const alert = makeAlert(
    {
      title: titleOf(issue),
      fingerprint: issueFingerprint(id),
      severity: severityOf(issue.level, issue.priority),
      body: [
        rows([
          ['culprit', textOf(issue.culprit)],
          ['short id', textOf(issue.shortId)],
          ['state', firstText(issue.substatus, issue.status)],
          ['events', textOf(issue.count)],
          ['people', textOf(issue.userCount)],
        ]),
        link('The issue at Sentry', url),
      ],
      resources: resourcesOf(name),
      externalId: id,
      url,
      at: firstKnown(issue.lastSeen, issue.firstSeen),
      fields: [
        ['project', name],
        ['level', issue.level],
        ['culprit', issue.culprit],
        ['platform', issue.platform],
        ['shortId', issue.shortId],
        ['status', issue.status],
        ['substatus', issue.substatus],
        ['type', fieldsOf(issue.metadata).type],
      ],
    },
    now,
  )
  return single(alert)
}

function doneIn(action: string): string {
  return action === '' ? 'changed' : code(action.slice(0, 50))
}

/** By its rule: one that is broken again is the same problem. */
function ofMetric(data: Fields, action: string, now: Date): Mapped {
  const incident = fieldsOf(data.metric_alert)
  const rule = fieldsOf(incident.alert_rule)
  const [ruleId, incidentId] = [firstText(rule.id), firstText(incident.id)]
  if (ruleId === '' && incidentId === '') return { reason: 'This Sentry metric alert has no `id`.' }
  const organisation = firstText(rule.organization_id, incident.organization_id)
  const named = ruleId === '' ? ['incident', incidentId] : ['rule', ruleId]
  const fingerprint = fingerprintOf('sentry', 'metric', ...[organisation, ...named].filter(part => part !== ''))
  if (action === 'resolved') return over(fingerprint)
  const projects = listOf(firstKnown(rule.projects, incident.projects)).map(textOf)
  const alert = makeAlert(
    {
      // Without the state that Sentry writes before it: the title stays when the state changes.
      title: firstText(
        rule.name,
        textOf(data.description_title).replace(/^(Critical|Warning|Resolved): /, ''),
        incident.title,
      ),
      fingerprint,
      severity: severityOf(action),
      body: [
        textOf(data.description_text).replaceAll('\\n', '\n'),
        rows([
          ['query', textOf(rule.query)],
          ['aggregate', textOf(rule.aggregate)],
          ['environment', textOf(rule.environment)],
        ]),
        link('The alert at Sentry', data.web_url),
      ],
      resources: resourcesOf(...projects),
      externalId: incidentId || ruleId,
      url: data.web_url,
      at: firstKnown(incident.date_started, incident.date_detected, incident.date_created),
      fields: [
        ['state', action],
        ['project', projects.join(', ')],
        ...[...entriesOf(rule)].filter(([, value]) => typeof value === 'string'),
      ],
    },
    now,
  )
  return single(alert)
}
