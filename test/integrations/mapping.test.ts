// What other systems send, as their documentation has it → alerts; and what hostile payloads do, which is nothing.
import { describe, expect, it } from 'vitest'
import {
  checkMapping,
  type Format,
  formats,
  type Mapped,
  type Mapping,
  mapPayload,
} from '../../src/areas/integrations/inbound/mapping/mapping.ts'
import { severityOf } from '../../src/areas/integrations/inbound/mapping/severities.ts'
import { momentOf } from '../../src/areas/integrations/inbound/mapping/times.ts'
import { type Json, mostPayloadBytes, readPayload } from '../../src/areas/integrations/inbound/payloads.ts'
import { cut } from '../../src/areas/integrations/inbound/values.ts'
import { ApiError } from '../../src/contract/errors.ts'
import { bytesOf, dice, expectAlert, now, payloadNames, payloadOf, readOf, received, spoiled } from './sent.ts'

const mapping: Mapping = {
  title: '"Check failed: " + payload.check.name',
  fingerprint: '"check/" + string(payload.check.id)',
  severity: 'payload.level',
  body: 'payload.message',
  resources: '"check/" + string(payload.check.id) + ", host/shop.example.com"',
  labels: 'payload.tags[0] + "," + payload.tags[1]',
  url: 'payload.check.url',
  at: 'payload.at',
  resolved: 'payload.state == "up"',
  fields: { daysLeft: 'string(payload.daysLeft)', state: 'payload.state' },
}

const binaryHeaders = {
  'ce-specversion': '1.0',
  'ce-type': 'com.example.export.failed',
  'ce-source': '/exports/n%C3%A4chtlich',
  'ce-id': '7',
  'ce-time': '2026-11-15T03:00:00Z',
}

const headersOf: Record<string, Record<string, string>> = {
  sentry_event_alert: { 'sentry-hook-resource': 'event_alert' },
  sentry_error: { 'sentry-hook-resource': 'error' },
  sentry_issue_created: { 'sentry-hook-resource': 'issue' },
  sentry_issue_resolved: { 'sentry-hook-resource': 'issue' },
  sentry_metric_alert_critical: { 'sentry-hook-resource': 'metric_alert' },
  sentry_metric_alert_resolved: { 'sentry-hook-resource': 'metric_alert' },
  cloudevents_binary: binaryHeaders,
}

function mapValue(
  format: Format,
  payload: Json,
  headers: Record<string, string> = {},
  given: Mapping | null = mapping,
): Mapped {
  return mapPayload(format, given, received('', headers), payload, now)
}

function map(name: string, headers = headersOf[name] ?? {}) {
  const format = formats.find(one => name.startsWith(one)) as Format
  const one = received(bytesOf(name), headers)
  const mapped = mapPayload(format, mapping, one, readOf(one), now)
  if ('reason' in mapped) throw new Error(mapped.reason)
  for (const alert of mapped.alerts) expectAlert(alert)
  return mapped
}

const reasonOf = (mapped: Mapped) => ('reason' in mapped ? mapped.reason : `no reason: ${JSON.stringify(mapped)}`)

describe('Alertmanager', () => {
  it('makes an alert of what fires and names what is over', () => {
    const { alerts, resolved, omitted } = map('alertmanager_firing')
    expect(resolved).toEqual(['alertmanager:8f5c1d02bb7a4e90'])
    expect(omitted).toBe(0)
    expect(alerts).toEqual([
      {
        title: 'Checkout answers 5xx to 7.3% of requests',
        fingerprint: 'alertmanager:1a30ba71cca2921f',
        severity: 'critical',
        body: expect.any(String),
        resources: ['service/checkout', 'namespace/shop', 'instance/10.0.3.17:8080'],
        source: {
          type: 'alert',
          externalId: '1a30ba71cca2921f',
          url: 'https://prometheus.example.com/graph?g0.expr=rate%28errors%5B5m%5D%29+%3E+0.05&g0.tab=1',
        },
        at: '2026-11-15T07:21:06.739Z',
        fields: {
          alertname: 'HighErrorRate',
          severity: 'critical',
          service: 'checkout',
          namespace: 'shop',
          instance: '10.0.3.17:8080',
          receiver: 'atrium',
          expression: 'rate(errors[5m]) > 0.05',
        },
      },
    ])
    expect(alerts[0]?.body).toBe(
      [
        'More than 5% of the requests of the last 5 minutes failed.',
        '[Runbook](https://runbooks.example.com/high-error-rate)',
        '- `dashboard`: `https://grafana.example.com/d/shop`',
        '[Where it comes from](https://prometheus.example.com/graph?g0.expr=rate%28errors%5B5m%5D%29+%3E+0.05&g0.tab=1)',
        '- `alertname`: `HighErrorRate`\n- `severity`: `critical`\n- `service`: `checkout`\n- `namespace`: `shop`\n- `instance`: `10.0.3.17:8080`',
      ].join('\n\n'),
    )
  })

  it('gives what is over the fingerprint that it had when it fired', () => {
    const { alerts, resolved } = map('alertmanager_resolved')
    expect(alerts).toEqual([])
    expect(resolved).toEqual([map('alertmanager_firing').alerts[0]?.fingerprint])
  })

  it('makes a fingerprint of the labels, in whatever order, where the sender has none', () => {
    const one = mapValue('alertmanager', { alerts: [{ labels: { a: '1', b: '2' } }] })
    const other = mapValue('alertmanager', { alerts: [{ status: 'resolved', labels: { b: '2', a: '1' } }] })
    expect('alerts' in one && one.alerts[0]?.fingerprint).toBe('resolved' in other && other.resolved[0])
  })

  it('takes a hundred, and says how many were too many', () => {
    const alerts = Array.from({ length: 130 }, (_, index) => ({ labels: { alertname: `a${index}` } }))
    const mapped = mapValue('alertmanager', { status: 'firing', alerts })
    expect(mapped).toMatchObject({ omitted: 30 })
    expect('alerts' in mapped && mapped.alerts).toHaveLength(100)
  })

  it('looks no further than two thousand', () => {
    const alerts = Array.from({ length: 300_000 }, () => ({ labels: {} }))
    expect(mapValue('alertmanager', { alerts })).toMatchObject({ omitted: 299_900 })
    const ended = Array.from({ length: 3_000 }, (_, a) => ({ status: 'resolved', labels: { a } }))
    const mapped = mapValue('alertmanager', { alerts: ended })
    expect('resolved' in mapped && mapped.resolved).toHaveLength(1_000)
  })

  it('makes nothing of an empty group', () => {
    expect(mapValue('alertmanager', { alerts: [] })).toEqual({ alerts: [], resolved: [], omitted: 0 })
  })

  it.each([
    [[], 'This is no Alertmanager webhook: it is not an object.'],
    [{}, 'This is no Alertmanager webhook: it has no list `alerts`.'],
    [{ alerts: {} }, 'This is no Alertmanager webhook: it has no list `alerts`.'],
    [{ alerts: [1, {}] }, 'This is no Alertmanager webhook: none of its `alerts` has an object `labels`.'],
  ])('refuses %j', (payload, reason) => {
    expect(reasonOf(mapValue('alertmanager', payload))).toBe(reason)
  })
})

describe('Grafana', () => {
  it('keeps values, panels and silences', () => {
    const { alerts } = map('grafana_firing')
    expect(alerts[0]).toMatchObject({
      title: 'Memory of db-1 is nearly full',
      fingerprint: 'grafana:c6eadffa33fcdf37',
      severity: 'medium',
      resources: ['host/db-1'],
      source: { url: 'https://grafana.example.com/alerting/grafana/d1rdpdv7k/view?orgId=1' },
      fields: {
        alertname: 'High memory usage',
        'value.B': 93.25,
        'value.C': 1,
        dashboardURL: 'https://grafana.example.com/d/shop?orgId=1',
        panelURL: 'https://grafana.example.com/d/shop?orgId=1&viewPanel=4',
        orgId: 1,
      },
    })
    expect(alerts[0]?.fields).not.toHaveProperty('__alert_rule_uid__')
    for (const words of ['Rule', 'Dashboard', 'Panel', 'Picture', 'Silence it', 'Runbook']) {
      expect(alerts[0]?.body).toContain(`[${words}](https://`)
    }
  })

  it('takes an alert without annotations and values, and one that has fired for weeks as of a week ago', () => {
    const { alerts } = map('grafana_firing')
    expect(alerts[1]).toMatchObject({
      title: 'DatasourceNoData',
      at: '2026-11-08T09:30:00.000Z',
      source: { externalId: 'bc97ff14869b13e3', url: 'https://grafana.example.com/' },
    })
    expect(alerts[1]).not.toHaveProperty('severity')
  })

  it('names what is over', () => {
    expect(map('grafana_resolved')).toEqual({ alerts: [], resolved: ['grafana:c6eadffa33fcdf37'], omitted: 0 })
  })

  it('refuses what is none', () => {
    expect(reasonOf(mapValue('grafana', { title: 'x' }))).toBe('This is no Grafana webhook: it has no list `alerts`.')
  })
})

describe('Sentry', () => {
  it('makes an alert of an alert on an issue', () => {
    const { alerts } = map('sentry_event_alert')
    expect(alerts).toHaveLength(1)
    expect(alerts[0]).toMatchObject({
      title: 'ReferenceError: basket is not defined',
      fingerprint: 'sentry:issue:1117540176',
      severity: 'high',
      resources: ['project/shop-web'],
      source: {
        externalId: '1117540176',
        url: expect.stringMatching(/^https:\/\/sentry\.example\.com\/organizations\//),
      },
      at: '2026-11-15T09:06:17.677Z',
      fields: { project: 'shop-web', environment: 'production', rule: 'Errors of the checkout', release: 'shop@4.2.0' },
    })
    expect(alerts[0]?.body).toContain(
      '```\nReferenceError: basket is not defined\n  at pay (/js/checkout.js:41)\n  at render (/js/app.js:12)\n```',
    )
  })

  it('gives everything about an issue one fingerprint, the webhook that it is over too', () => {
    const fingerprint = 'sentry:issue:1117540176'
    expect(map('sentry_issue_created').alerts[0]).toMatchObject({ fingerprint, severity: 'critical' })
    expect(map('sentry_error').alerts[0]).toMatchObject({ fingerprint })
    expect(map('sentry_issue_resolved')).toEqual({ alerts: [], resolved: [fingerprint], omitted: 0 })
  })

  it('knows an alert on a metric by its rule', () => {
    const { alerts } = map('sentry_metric_alert_critical')
    expect(alerts[0]).toMatchObject({
      title: 'Too many errors',
      fingerprint: 'sentry:metric:5:rule:7',
      severity: 'critical',
      resources: ['project/shop-web'],
      at: '2026-11-15T09:18:00.000Z',
    })
    expect(alerts[0]?.body).toContain('1000 events in the last 10 minutes\nFilter: level:error')
    expect(map('sentry_metric_alert_resolved').resolved).toEqual(['sentry:metric:5:rule:7'])
  })

  it('sees what it is about where a relay lost the header', () => {
    for (const name of payloadNames.filter(name => name.startsWith('sentry'))) expect(map(name, {})).toEqual(map(name))
  })

  it.each(['archived', 'assigned', 'ignored', ''])('makes nothing of an issue that was "%s"', action => {
    const payload = { ...(payloadOf('sentry_issue_created') as object), action }
    expect(mapValue('sentry', payload)).toMatchObject({
      alerts: [],
      resolved: [],
      why: expect.stringContaining('issue'),
    })
  })

  it('makes nothing of webhooks about other things', () => {
    const mapped = mapValue('sentry', { action: 'created', data: {} }, { 'sentry-hook-resource': 'installation' })
    expect(mapped).toMatchObject({ alerts: [], resolved: [], why: expect.stringContaining('`installation`') })
  })

  it.each([
    [{}, {}, 'This is no Sentry webhook: it has no object `data`.'],
    [{ data: {} }, {}, 'This is no Sentry webhook: nothing says what it is about.'],
    [
      { data: {} },
      { 'sentry-hook-resource': 'event_alert' },
      'This Sentry webhook of the kind event_alert has no object `data.event`.',
    ],
    [{ data: { issue: { title: 'x' } }, action: 'created' }, {}, 'This Sentry issue has no `id`.'],
    [{ data: { event: {} } }, {}, 'This Sentry event has neither an issue nor a title.'],
    [{ data: { metric_alert: {} } }, {}, 'This Sentry metric alert has no `id`.'],
  ])('refuses %j', (payload, headers, reason) => {
    expect(reasonOf(mapValue('sentry', payload as Json, headers as Record<string, string>))).toBe(reason)
  })
})

describe('PagerDuty', () => {
  it('makes an alert of an event that triggers, without the key that opens the account', () => {
    const { alerts } = map('pagerduty_trigger')
    expect(alerts[0]).toMatchObject({
      title: 'Replication of orders is 40 s behind on db-2',
      fingerprint: 'pagerduty:replication/db-2',
      severity: 'high',
      resources: ['source/db-2.example.com', 'component/postgres'],
      source: { externalId: 'replication/db-2', url: 'https://monitoring.example.com/checks/17' },
      at: '2026-11-15T09:12:58.315Z',
      fields: { lag: '40 s', 'load avg': 0.75, 'is primary': false, slots: '{"orders":"active"}' },
    })
    expect(alerts[0]?.body).toContain('[Runbook  replication](https://runbooks.example.com/replication)')
    expect(JSON.stringify(alerts)).not.toContain('9f1f2ac31a5f4fd0b2b5b0a0e30fd5f6')
  })

  it('resolves by the key, and leaves an acknowledgement alone', () => {
    expect(map('pagerduty_resolve').resolved).toEqual([map('pagerduty_trigger').alerts[0]?.fingerprint])
    expect(map('pagerduty_acknowledge')).toMatchObject({ alerts: [], resolved: [], why: expect.any(String) })
  })

  it('knows the same event without a key by its words', () => {
    const event = (summary: string) =>
      mapValue('pagerduty', { event_action: 'trigger', payload: { summary, source: 'db-1' } }) as { alerts: object[] }
    expect(event('a').alerts).toEqual(event('a').alerts)
    expect(event('a').alerts[0]).not.toMatchObject({
      fingerprint: (event('b').alerts[0] as { fingerprint: string }).fingerprint,
    })
  })

  it('makes an alert of an incident, and names the one that is over', () => {
    const { alerts } = map('pagerduty_incident_triggered')
    expect(alerts[0]).toMatchObject({
      title: 'Payments are refused',
      fingerprint: 'pagerduty:d3640fbd41094207a1c11e58e46b1662',
      severity: 'critical',
      resources: ['service/Payments'],
      source: { externalId: 'PGR0VU2', url: 'https://acme.pagerduty.com/incidents/PGR0VU2' },
      at: '2026-11-15T09:15:22.169Z',
      fields: { service: 'Payments', priority: 'P1', urgency: 'high', team: 'Engineering' },
    })
    expect(map('pagerduty_incident_resolved').resolved).toEqual([alerts[0]?.fingerprint])
  })

  it.each(['incident.acknowledged', 'incident.annotated', 'service.updated', 'pagey.ping'])(
    'makes nothing of %s',
    type => {
      expect(mapValue('pagerduty', { event: { event_type: type, data: { id: 'x' } } })).toMatchObject({
        alerts: [],
        resolved: [],
        why: expect.stringContaining(type),
      })
    },
  )

  it.each([
    [1, 'This is no PagerDuty event: it is not an object.'],
    [{}, 'This is no PagerDuty event: it has neither `event_action` nor an object `event`.'],
    [{ event_action: 'explode' }, 'The `event_action` of a PagerDuty event is `trigger`, `acknowledge` or `resolve`.'],
    [{ event_action: 'resolve' }, 'This PagerDuty event resolves something and has no `dedup_key`.'],
    [{ event_action: 'trigger' }, 'This PagerDuty event has no object `payload`.'],
    [{ event_action: 'trigger', payload: {} }, 'This PagerDuty event has no `payload.summary`.'],
    [{ event: {} }, 'This is no PagerDuty webhook: it has no `event.event_type`.'],
    [{ event: { event_type: 'incident.resolved' } }, 'This PagerDuty incident has neither `id` nor `incident_key`.'],
  ])('refuses %j', (payload, reason) => {
    expect(reasonOf(mapValue('pagerduty', payload as Json))).toBe(reason)
  })
})

describe('CloudEvents', () => {
  it('takes one in the body', () => {
    const { alerts } = map('cloudevents_structured')
    expect(alerts[0]).toMatchObject({
      title: 'Checkout is slow',
      fingerprint: 'cloudevents:https://monitoring.example.com/checks:com.example.monitoring.alert:service/checkout',
      severity: 'medium',
      resources: ['service/checkout'],
      source: { externalId: 'A234-1234-1234', url: 'https://monitoring.example.com/checks/17' },
      at: '2026-11-15T09:11:00.000Z',
      fields: { type: 'com.example.monitoring.alert.firing', percentile: 3.2, regions: '["eu-west-1"]' },
    })
    expect(alerts[0]?.body).toContain('The 95th percentile is 3.2 s.')
  })

  it('takes several, some of them over and some with their data in base64', () => {
    const { alerts, resolved } = map('cloudevents_batch')
    expect(resolved).toEqual([map('cloudevents_structured').alerts[0]?.fingerprint])
    expect(alerts).toMatchObject([{ title: 'Search is down', severity: 'critical' }])
  })

  it('takes one in headers', () => {
    const { alerts } = map('cloudevents_binary')
    expect(alerts[0]).toMatchObject({
      title: 'Nightly export failed',
      fingerprint: 'cloudevents:/exports/nächtlich:com.example.export:',
      severity: 'low',
      at: '2026-11-15T03:00:00.000Z',
      fields: { exitCode: 3 },
    })
  })

  it('takes one in headers that has nothing to add', () => {
    const one = received('', binaryHeaders, '')
    const mapped = mapPayload('cloudevents', null, one, readOf(one), now)
    expect(mapped).toMatchObject({ alerts: [{ title: 'com.example.export' }] })
  })

  it('lets the last word about a problem count', () => {
    const event = (status: string) => ({ specversion: '1.0', id: '1', source: 's', type: 't', data: { status } })
    expect(mapValue('cloudevents', [event('firing'), event('resolved')])).toMatchObject({
      resolved: ['cloudevents:s:t:'],
    })
    expect(mapValue('cloudevents', [event('resolved'), event('firing')])).toMatchObject({ resolved: [] })
    expect(mapValue('cloudevents', [event('200')])).toMatchObject({ alerts: [{ title: 't' }], resolved: [] })
  })

  it.each([
    ['x', 'This is no CloudEvent: it is not an object.'],
    [{}, 'This is no CloudEvent: it has no `specversion`.'],
    [{ specversion: '1.0', id: '1', source: 's' }, 'This is no CloudEvent: it has no `type`.'],
    [{ specversion: '0.3', id: '1', source: 's', type: 't' }, 'This is no CloudEvent: its `specversion` is not 1.0.'],
    [[], 'This batch of CloudEvents is empty.'],
    [
      [{ specversion: '1.0', id: '1', source: 's', type: 't' }, 3],
      'This is no CloudEvent at place 1: it is not an object.',
    ],
  ])('refuses %j', (payload, reason) => {
    expect(reasonOf(mapValue('cloudevents', payload as Json))).toBe(reason)
  })
})

describe('a mapping of expressions', () => {
  it('makes an alert of any payload', () => {
    expect(map('generic')).toEqual({
      alerts: [
        {
          title: 'Check failed: Certificate of shop.example.com',
          fingerprint: 'generic:check/17',
          severity: 'high',
          body: 'The certificate ends in 2 days.',
          resources: ['check/17', 'host/shop.example.com'],
          labels: ['tls', 'shop'],
          source: { type: 'alert', externalId: 'check/17', url: 'https://uptime.example.com/checks/17' },
          at: '2026-11-15T09:00:00.000Z',
          fields: { daysLeft: '2', state: 'down' },
        },
      ],
      resolved: [],
      omitted: 0,
    })
  })

  it('names what is over by its fingerprint alone', () => {
    const payload = { check: { id: 17 }, state: 'up' }
    expect(mapValue('generic', payload)).toEqual({ alerts: [], resolved: ['generic:check/17'], omitted: 0 })
  })

  it('needs a title and nothing else', () => {
    const mapped = mapValue('generic', { t: 'It broke' }, {}, { title: 'payload.t' })
    expect(mapped).toMatchObject({ alerts: [{ title: 'It broke', fingerprint: 'generic:It broke' }] })
  })

  it('leaves out what is empty, and what is no severity, address or time', () => {
    const texts = { severity: '"purple"', url: '"ftp://x"', at: '"soon"', body: '""', labels: '""', resources: '" , "' }
    const mapped = mapValue('generic', {}, {}, { title: '"t"', ...texts, fields: { empty: '""' } })
    expect(mapped).toMatchObject({ alerts: [{ source: { type: 'alert', externalId: null, url: null } }] })
    expect('alerts' in mapped && Object.keys(mapped.alerts[0] ?? {})).toEqual(['title', 'fingerprint', 'source'])
  })

  it.each([
    [{ title: 'payload.a.b' }, '`config.mapping.title` fails for this payload: payload.a.b is not set.'],
    [
      { title: '"t"', body: 'payload.n' },
      '`config.mapping.body` fails for this payload: The result is not text (string).',
    ],
    [
      { title: '"t"', fields: { x: 'payload.x' } },
      '`config.mapping.fields.x` fails for this payload: payload.x is not set.',
    ],
    [
      { title: '"t"', resolved: 'payload.x' },
      '`config.mapping.resolved` fails for this payload: payload.x is not set.',
    ],
    [{ title: '""' }, '`config.mapping.title` gives an empty text for this payload.'],
    [{ title: '"t"', fingerprint: '""' }, '`config.mapping.fingerprint` gives an empty text for this payload.'],
  ])('names the field that fails: %j', (given, reason) => {
    expect(reasonOf(mapValue('generic', { n: 1 }, {}, given))).toBe(reason)
  })

  it('has a reason where there is no mapping', () => {
    expect(reasonOf(mapValue('generic', {}, {}, null))).toBe('This integration has no `config.mapping`.')
  })
})

describe('checkMapping', () => {
  it('takes a good one', () => {
    expect(() => checkMapping(mapping)).not.toThrow()
    expect(() => checkMapping({ title: 'has(payload.x) ? payload.x : "none"' })).not.toThrow()
  })

  const failure = (given: unknown): ApiError => {
    try {
      checkMapping(given as Mapping)
    } catch (error) {
      if (error instanceof ApiError) return error
    }
    throw new Error('it was taken')
  }

  it.each([
    [{}, 'config.mapping.title'],
    [{ title: '' }, 'config.mapping.title'],
    [{ title: 'payload.' }, 'config.mapping.title'],
    [{ title: '1' }, 'config.mapping.title'],
    [{ title: 'other.x' }, 'config.mapping.title'],
    [{ title: '"t"', severity: 'payload.n > 3' }, 'config.mapping.severity'],
    [{ title: '"t"', resolved: '"yes"' }, 'config.mapping.resolved'],
    [{ title: '"t"', fields: { 'a b': '[' } }, 'config.mapping.fields.a b'],
    [{ title: '"t"', fields: { ['x'.repeat(129)]: '"y"' } }, 'config.mapping.fields'],
    [
      { title: '"t"', fields: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`f${index}`, '"y"'])) },
      'config.mapping.fields',
    ],
  ])('refuses %j by the name of the field', (given, path) => {
    const { kind, detail, metadata } = failure(given)
    expect(kind).toBe('bad_request')
    expect(detail).toContain(path)
    expect(JSON.stringify(metadata)).toContain(path)
  })
})

describe('readPayload', () => {
  const reasonFor = (bytes: Uint8Array | string, contentType?: string) => {
    const read = readPayload(received(bytes, {}, contentType))
    return 'reason' in read ? read.reason : read
  }

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/Vnd.Acme.V3+JSON',
    'application/cloudevents-batch+json',
    'text/plain',
    'text/json',
    '',
  ])('reads JSON that is called %j', contentType => {
    expect(readPayload(received('{"a": [1, "ä"]}', {}, contentType))).toEqual({ payload: { a: [1, 'ä'] } })
  })

  it('reads JSON in the field `payload` of a form', () => {
    const form = new URLSearchParams({ payload: '{"ref": "a b+c&ä"}', other: 'x' }).toString()
    expect(readPayload(received(form, {}, 'application/x-www-form-urlencoded'))).toEqual({
      payload: { ref: 'a b+c&ä' },
    })
  })

  it.each([
    ['', 'application/json', 'The body is empty.'],
    ['{', 'application/json', 'The body is not valid JSON.'],
    ['{}\n{}', 'text/plain', 'The body is not valid JSON.'],
    ['{}\n{}', 'application/x-ndjson', 'Lines of JSON are not read here; send one JSON value.'],
    ['<a/>', 'application/xml', 'A body of the type "application/xml" is not read here; send JSON.'],
    ['{}', 'multipart/form-data; boundary=x', 'A body of the type "multipart/form-data" is not read here; send JSON.'],
    ['["\\u0000"]', 'application/json', 'A text holds a NUL character or half of a surrogate pair; remove it.'],
    ['a=b', 'application/x-www-form-urlencoded', 'The form has no field `payload`; send JSON, or JSON in that field.'],
    ['payload=%7B', 'application/x-www-form-urlencoded', 'The body is not valid JSON.'],
    [
      '['.repeat(65) + ']'.repeat(65),
      'application/json',
      'The body is nested more than 64 levels deep; make it flatter.',
    ],
  ])('refuses %j as %s', (body, contentType, reason) => {
    expect(reasonFor(body, contentType)).toBe(reason)
  })

  it('refuses what is not UTF-8, and what is too large', () => {
    expect(reasonFor(Uint8Array.of(0x22, 0xff, 0x22))).toBe('The body is not valid UTF-8.')
    expect(reasonFor(Uint8Array.of(0xff), 'application/x-www-form-urlencoded')).toBe('The body is not valid UTF-8.')
    expect(reasonFor(new Uint8Array(mostPayloadBytes + 1))).toBe('The body has more than 5 MiB; send less at once.')
  })
})

describe('words and times', () => {
  it.each([
    ['critical', 'critical'],
    ['PAGE', 'critical'],
    ['Fatal', 'critical'],
    ['P1', 'critical'],
    ['P1 - Critical', 'critical'],
    ['SEV-2', 'high'],
    ['error', 'high'],
    ['warning', 'medium'],
    ['warn', 'medium'],
    ['P4', 'low'],
    ['none', 'info'],
    ['informational', 'info'],
    ['purple', undefined],
    ['constructor', undefined],
    ['', undefined],
    [{}, undefined],
    [null, undefined],
  ])('reads the severity %j as %s', (word, severity) => {
    expect(severityOf(word as Json)).toBe(severity)
  })

  it.each([
    ['2026-11-15T09:00:00Z', '2026-11-15T09:00:00.000Z'],
    ['2026-11-15 09:00:00 UTC', '2026-11-15T09:00:00.000Z'],
    ['2026-11-15T10:00:00.123456789+01:00', '2026-11-15T09:00:00.123Z'],
    ['2026-11-15T09:00:00.315+0000', '2026-11-15T09:00:00.315Z'],
    [1_794_733_200, '2026-11-15T09:00:00.000Z'],
    [1_794_733_200_000, '2026-11-15T09:00:00.000Z'],
    ['1794733200', '2026-11-15T09:00:00.000Z'],
    ['2999-01-01T00:00:00Z', '2026-11-15T09:30:00.000Z'],
    ['2020-01-01T00:00:00Z', '2026-11-08T09:30:00.000Z'],
    ['0001-01-01T00:00:00Z', undefined],
    ['2026-02-31T99:00:00Z', undefined],
    ['foo 1', undefined],
    [Number.POSITIVE_INFINITY, undefined],
    [true, undefined],
  ])('reads the time %j as %s', (value, at) => {
    expect(momentOf(value, now)).toBe(at)
  })

  it('cuts at whole characters', () => {
    expect(cut('ab😀', 3)).toBe('ab')
    expect(cut('ab😀', 4)).toBe('ab😀')
    const title = '😀'.repeat(300)
    const mapped = mapValue('generic', { title }, {}, { title: 'payload.title' })
    if ('reason' in mapped) throw new Error(mapped.reason)
    expectAlert(mapped.alerts[0]!)
    expect(mapped.alerts[0]?.title).toMatch(/^😀+…$/u)
    expect(mapped.alerts[0]?.fingerprint).toMatch(/^generic:😀+:[\w-]{22}$/u)
  })
})

describe('payloads that are spoiled', () => {
  const names = payloadNames.filter(name => formats.some(format => name.startsWith(format)))

  it.each(names)('never do more than give alerts or a reason: %s', name => {
    const [roll, payload] = [dice(names.indexOf(name) + 1), payloadOf(name)]
    for (let round = 0; round < 400; round++) {
      const wrong = spoiled(payload, roll)
      for (const format of roll(10) === 0 ? formats : formats.filter(one => name.startsWith(one))) {
        const mapped = mapValue(format, wrong, roll(4) === 0 ? {} : headersOf[name])
        if ('reason' in mapped) {
          expect(mapped.reason).toMatch(/^.{10,400}\.$/)
          continue
        }
        expect(mapped.alerts.length).toBeLessThanOrEqual(100)
        for (const alert of mapped.alerts) expectAlert(alert)
        for (const fingerprint of mapped.resolved) expect(fingerprint).toMatch(/^(?=.{1,128}$)\w+:[^\0]*$/su)
      }
    }
  })
})
