// Definitions: good ones of each kind pass, and each broken one is told exactly what is wrong, and where.
import { describe, expect, it } from 'vitest'
import { checkDefinition } from '../../src/areas/automations/definition/checking.ts'
import { stepOperations } from '../../src/areas/automations/definition/deeds.ts'
import { definitionSchema, shorthandList } from '../../src/areas/automations/definition/schema.ts'
import { inputOf, shorthands } from '../../src/areas/automations/definition/shorthands.ts'
import type { Definition } from '../../src/areas/automations/fields/contract.ts'
import { scopes } from '../../src/contract/scopes.ts'

type Loose = Record<string, unknown>

const issueId = 'issue_0123456789abcdefghijklmn'
const opened = { on: 'event', event: 'issues.post' }
const manual = { on: 'manual' }
const pause = { do: 'wait', with: { seconds: 5 } }
const note = { do: 'add_note', with: { id: '{{ trigger.record.id }}', text: 'Seen: {{ trigger.record.title }}' } }
const listed = { id: 'list', do: 'issues.list', with: { perPage: 5 } }

function made(parts: Loose): Definition {
  return {
    triggers: [opened],
    steps: [pause],
    grants: ['issues:read', 'issues:write'],
    ...parts,
  } as unknown as Definition
}

/** A definition of these steps alone. */
const doing = (...steps: unknown[]): Loose => ({ steps })

function placesIn(parts: Loose): string[] {
  return checkDefinition(made(parts)).faults.map(({ path, rule }) => `${path} ${rule}`)
}

const each = (steps: unknown[], more: Loose = {}) => ({
  ...{ id: 'each', do: 'forEach', with: { items: '{{ steps.list.output.items }}' }, steps },
  ...more,
})

const form = {
  type: 'object',
  properties: {
    service: { type: 'string' },
    count: { type: 'integer' },
    tags: { type: 'array', items: { type: 'string' } },
  },
  required: ['service'],
}

const good: Record<string, Loose> = {
  'an event': doing(note),
  'part of the events': { triggers: [{ on: 'event', event: 'issues.*' }], steps: [note] },
  'any event': {
    triggers: [{ on: 'event', event: '*' }],
    steps: [
      { do: 'add_note', with: { id: '{{ trigger.event.target.id }}', text: '{{ trigger.record.whatever.there }}' } },
    ],
  },
  'an event with a condition of its own': {
    triggers: [{ ...opened, where: 'trigger.record.severity == "critical" && size(trigger.record.labels) > 0' }],
  },
  'an issue that fits': {
    triggers: [{ on: 'issue.matched', where: 'trigger.record.status == "open"' }],
    steps: [note],
  },
  'a schedule': {
    triggers: [{ on: 'schedule', cron: '0 9 * * 1-5', timezone: 'Europe/Berlin', jitterSeconds: 60 }],
    condition: '!trigger.isMissed',
  },
  'a webhook': {
    triggers: [{ on: 'webhook', signed: true }],
    steps: [{ do: 'create_issue', with: { title: '{{ trigger.body.alert.title }}' } }],
  },
  'a form': {
    triggers: [{ ...manual, form }],
    steps: [{ do: 'create_issue', with: { title: '{{ trigger.input.service }} is down' } }],
  },
  'several triggers, of which one brings a path': {
    triggers: [{ on: 'schedule', cron: '0 9 * * *' }, opened, manual],
    steps: [note],
  },
  'a branch': doing({
    ...{ do: 'branch', if: 'trigger.record.severity == "critical"' },
    ...{
      steps: [
        { id: 'inner', ...note },
        { ...pause, if: 'steps.inner.status == "succeeded"' },
      ],
      else: [pause],
    },
  }),
  'a list gone over': doing(
    listed,
    each([
      {
        id: 'noted',
        do: 'add_note',
        with: { id: '{{ item.id }}', text: '{{ index }} of {{ steps.list.output.count }}' },
      },
    ]),
    { ...pause, if: 'steps.each.output.exists(one, one.id != "")' },
  ),
  'a list that is written out': doing({
    ...{ do: 'forEach', with: { items: [issueId], parallel: 2 } },
    steps: [{ do: 'add_note', with: { id: '{{ item }}', text: 'x' } }],
  }),
  'an approval': doing(
    {
      id: 'ask',
      do: 'approve',
      with: { question: 'Go on?', details: { title: '{{ trigger.record.title }}' } },
      else: [pause],
    },
    { ...pause, if: 'steps.ask.output.decision == "approved"' },
  ),
  'a thread that is waited for': {
    steps: [
      { id: 'look', do: 'thread', with: { instructions: 'Look at {{ trigger.record.title }}.', waitSeconds: 600 } },
      { do: 'add_note', with: { id: '{{ trigger.record.id }}', text: '{{ steps.look.output.summary }}' } },
    ],
    grants: ['threads:read', 'threads:write', 'issues:read', 'issues:write'],
  },
  'a tool of ours and one of another server': {
    steps: [
      { id: 'found', do: 'run_tool', with: { name: 'issues_list', args: { perPage: 3 } } },
      { do: 'run_tool', with: { name: 'int.docs.search', args: { query: '{{ steps.found.output.items.0.title }}' } } },
    ],
    grants: ['issues:read', 'integrations:read'],
  },
  mail: {
    steps: [
      { do: 'send_email', with: { to: '{{ trigger.record.labels }}', subject: 'x', text: '{{ trigger.record }}.' } },
    ],
    grants: ['issues:read', 'workspace_members:read'],
  },
  times: doing({ ...pause, if: 'timestamp(now) - timestamp(trigger.record.created) > duration("24h")' }),
  'more than what it does': {
    name: 'Look at issues',
    description: null,
    enabled: true,
    retry: null,
    concurrency: 'skip',
  },
}

describe('a good definition', () => {
  it.each(Object.keys(good))('%s', kind => expect(checkDefinition(made(good[kind] ?? {})).faults).toEqual([]))
})

const broken: [string, Loose, string[]][] = [
  // Its form.
  ['no triggers', { triggers: undefined }, ['triggers type']],
  ['an empty list of triggers', { triggers: [] }, ['triggers minItems']],
  ['eleven triggers', { triggers: Array(11).fill(opened) }, ['triggers maxItems']],
  ['triggers that are no list', { triggers: opened }, ['triggers type']],
  ['a trigger that is none', { triggers: ['manual'] }, ['triggers.0 type']],
  ['no steps', { steps: [] }, ['steps minItems']],
  ['a misspelt field', { step: [pause] }, ['step additionalProperties']],
  ['a misspelt choice', { concurrency: 'paralel' }, ['concurrency enum']],
  ['too long a time', { timeoutSeconds: 4_000 }, ['timeoutSeconds maximum']],
  ['a step without a deed', doing({ with: {} }), ['steps.0.do required']],
  ['a step that is a word', doing('wait'), ['steps.0 type']],
  ['a misspelt field of a step', doing({ ...pause, timeoutSecond: 5 }), ['steps.0.timeoutSecond additionalProperties']],
  ['too many retries', doing({ ...note, retry: { max: 9, backoffSeconds: 1 } }), ['steps.0.retry.max maximum']],
  ['an id that is none', doing({ ...pause, id: '1st' }), ['steps.0.id pattern']],
  // Triggers.
  ['a kind that there is not', { triggers: [{ on: 'cron' }] }, ['triggers.0.on enum']],
  ['a schedule without times', { triggers: [{ on: 'schedule' }] }, ['triggers.0.cron required']],
  ['an event without its name', { triggers: [{ on: 'event' }] }, ['triggers.0.event required']],
  ['a match of everything', { triggers: [{ on: 'issue.matched' }] }, ['triggers.0.where required']],
  ['a field of another kind', { triggers: [{ ...manual, cron: '0 9 * * *' }] }, ['triggers.0.cron belongs']],
  [
    'two fields of other kinds',
    { triggers: [{ ...opened, form, signed: true }] },
    ['triggers.0.form belongs', 'triggers.0.signed belongs'],
  ],
  [
    'a condition of a schedule',
    { triggers: [{ on: 'schedule', cron: '0 9 * * *', where: 'true' }] },
    ['triggers.0.where belongs'],
  ],
  ['a pattern of six fields', { triggers: [{ on: 'schedule', cron: '*/5 * * * * *' }] }, ['triggers.0.cron cron']],
  ['a pattern with a wrong hour', { triggers: [{ on: 'schedule', cron: '0 25 * * *' }] }, ['triggers.0.cron cron']],
  ['a day that never comes', { triggers: [{ on: 'schedule', cron: '0 0 31 2 *' }] }, ['triggers.0.cron cron']],
  [
    'a zone that there is not',
    { triggers: [{ on: 'schedule', cron: '0 9 * * *', timezone: 'Europe/Berln' }] },
    ['triggers.0.timezone timezone'],
  ],
  ['an event that there is not', { triggers: [{ on: 'event', event: 'issues.pots' }] }, ['triggers.0.event event']],
  ['part of events that there are not', { triggers: [{ on: 'event', event: 'isues.*' }] }, ['triggers.0.event event']],
  ['something that only reads', { triggers: [{ on: 'event', event: 'issues.list' }] }, ['triggers.0.event event']],
  ['two webhooks', { triggers: [{ on: 'webhook' }, opened, { on: 'webhook' }] }, ['triggers.2.on unique']],
  ['two forms', { triggers: [manual, manual] }, ['triggers.1.on unique']],
  ['a form that is no object', { triggers: [{ ...manual, form: { type: 'string' } }] }, ['triggers.0.form form']],
  [
    'a form with a wrong type',
    { triggers: [{ ...manual, form: { ...form, properties: { service: { type: 'strin' } } } }] },
    ['triggers.0.form form'],
  ],
  [
    'a form that requires what it has not',
    { triggers: [{ ...manual, form: { ...form, required: ['servce'] } }] },
    ['triggers.0.form form'],
  ],
  [
    'a form of another document',
    { triggers: [{ ...manual, form: { ...form, properties: { a: { $ref: 'https://example.com/x' } } } }] },
    ['triggers.0.form form'],
  ],
  [
    'a field of a form with a dot',
    { triggers: [{ ...manual, form: { type: 'object', properties: { 'a.b': {} } } }] },
    ['triggers.0.form form'],
  ],
  [
    'a condition with an unknown field',
    { triggers: [{ ...opened, where: 'trigger.record.sevrity == "low"' }] },
    ['triggers.0.where expression'],
  ],
  [
    'a condition over steps',
    { triggers: [{ ...opened, where: 'steps.a.output == 1' }] },
    ['triggers.0.where expression'],
  ],
  [
    'a condition over the time',
    { triggers: [{ ...opened, where: 'timestamp(now).getHours() == 1' }] },
    ['triggers.0.where expression'],
  ],
  // Conditions.
  ['a condition that does not end', { condition: 'trigger.record.title == ' }, ['condition expression']],
  ['a condition that is text', { condition: 'trigger.record.title' }, ['condition expression']],
  ['a condition that compares text and number', { condition: 'trigger.record.title > 5' }, ['condition expression']],
  ['times that are taken apart as texts', { condition: 'now - trigger.at > duration("1h")' }, ['condition expression']],
  [
    'a condition on what the trigger has not',
    { triggers: [manual], condition: 'trigger.record.title == "x"' },
    ['condition expression'],
  ],
  [
    'a condition over steps to come',
    { ...doing({ ...pause, id: 'a' }), condition: 'steps.a.status == "failed"' },
    ['condition expression'],
  ],
  ['an if over itself', doing({ ...pause, id: 'a', if: 'steps.a.status == "failed"' }), ['steps.0.if expression']],
  [
    'an if over an unknown output',
    doing(listed, { ...pause, if: 'steps.list.output.total > 1' }),
    ['steps.1.if expression'],
  ],
  ['an item outside a list', doing({ ...pause, if: 'item.id == "x"' }), ['steps.0.if expression']],
  // What they do.
  ['a misspelt operation', doing({ do: 'isues.post', with: {} }), ['steps.0.do do']],
  ['a misspelt word', doing({ do: 'creat_issue' }), ['steps.0.do do']],
  ['what is for people alone', doing({ do: 'auth.login', with: {} }), ['steps.0.do do']],
  ['what answers with a file', doing({ do: 'audit_logs.export' }), ['steps.0.do do']],
  ['what automations may not do', doing({ do: 'automations.post', with: {} }), ['steps.0.do do']],
  ['steps in a step', doing({ ...pause, steps: [pause] }), ['steps.0.steps belongs']],
  ['an else of a forEach', doing(listed, each([pause], { else: [pause] })), ['steps.1.else belongs']],
  [
    'steps of an approval',
    doing({ do: 'approve', with: { question: 'x' }, steps: [pause] }),
    ['steps.0.steps belongs'],
  ],
  ['a branch without anything', doing({ do: 'branch' }), ['steps.0.steps required', 'steps.0.if required']],
  [
    'a branch that is tried again',
    doing({ do: 'branch', if: 'true', steps: [pause], retry: { max: 1, backoffSeconds: 1 }, timeoutSeconds: 5 }),
    ['steps.0.retry belongs', 'steps.0.timeoutSeconds belongs'],
  ],
  [
    'a branch with an input',
    doing({ do: 'branch', if: 'true', steps: [pause], with: { x: 1 } }),
    ['steps.0.with.x additionalProperties'],
  ],
  ['a branch with no steps in it', doing({ do: 'branch', if: 'true', steps: [] }), ['steps.0.steps minItems']],
  ['a forEach of nothing', doing({ do: 'forEach', steps: [pause] }), ['steps.0.with.items required']],
  ['a forEach without steps', doing({ do: 'forEach', with: { items: [1] } }), ['steps.0.steps required']],
  [
    'a forEach of a text',
    doing({ do: 'forEach', with: { items: '{{ trigger.record.title }}' }, steps: [pause] }),
    ['steps.0.with.items type'],
  ],
  [
    'a fourth list',
    doing({
      do: 'branch',
      if: 'true',
      steps: [{ do: 'branch', if: 'true', steps: [{ do: 'branch', if: 'true', steps: [pause] }] }],
    }),
    ['steps.0.steps.0.steps.0.do depth'],
  ],
  [
    'an id twice',
    doing({ ...pause, id: 'a' }, { do: 'branch', if: 'true', steps: [{ ...pause, id: 'a' }] }),
    ['steps.1.steps.0.id unique'],
  ],
  [
    'a hundred and one steps',
    doing(...Array.from({ length: 6 }, () => ({ do: 'branch', if: 'true', steps: Array(20).fill(pause) }))),
    ['steps maxItems'],
  ],
  // What they are given.
  ['too long a wait', doing({ do: 'wait', with: { seconds: 86_401 } }), ['steps.0.with.seconds maximum']],
  ['no input', doing({ do: 'wait' }), ['steps.0.with.seconds required']],
  ['a text for a number', doing({ do: 'wait', with: { seconds: 'five' } }), ['steps.0.with.seconds type']],
  [
    'two missing names',
    doing({ do: 'add_note', with: {} }),
    ['steps.0.with.id required', 'steps.0.with.text required'],
  ],
  [
    'a misspelt name',
    doing({ do: 'create_issue', with: { title: 'It is down', serverity: 'low' } }),
    ['steps.0.with.serverity additionalProperties'],
  ],
  [
    'a wrong choice',
    doing({ do: 'create_issue', with: { title: 'It is down', severity: 'hihg' } }),
    ['steps.0.with.severity enum'],
  ],
  ['an id of another kind', doing({ do: 'issues.get', with: { id: 'thr_1' } }), ['steps.0.with.id pattern']],
  [
    'a workspace',
    doing({ do: 'create_issue', with: { title: 'It is down', workspaceId: 'ws_1' } }),
    ['steps.0.with.workspaceId belongs'],
  ],
  ['a time that is none', doing({ do: 'issues.list', with: { from: 'yesterday' } }), ['steps.0.with.from format']],
  ['an input that is a list', doing({ do: 'wait', with: [5] }), ['steps.0.with type']],
  // Templates.
  [
    'a misspelt root',
    doing({ do: 'create_issue', with: { title: '{{ triger.record.title }}' } }),
    ['steps.0.with.title path'],
  ],
  [
    'a misspelt field of a record',
    doing({ do: 'create_issue', with: { title: '{{ trigger.record.titel }}' } }),
    ['steps.0.with.title path'],
  ],
  [
    'two misspelt fields in one text',
    doing({ do: 'create_issue', with: { title: '{{ trigger.record.titel }} {{ trigger.evnt }}' } }),
    ['steps.0.with.title path', 'steps.0.with.title path'],
  ],
  [
    'a field below a text',
    doing({ do: 'create_issue', with: { title: '{{ trigger.record.title.first }}' } }),
    ['steps.0.with.title path'],
  ],
  [
    'a record that is gone',
    { triggers: [{ on: 'event', event: 'issues.del' }], ...doing(note) },
    ['steps.0.with.id path', 'steps.0.with.text path'],
  ],
  [
    'a record of a schedule',
    {
      triggers: [{ on: 'schedule', cron: '0 9 * * *' }],
      ...doing({ do: 'create_issue', with: { title: '{{ trigger.record.title }}' } }),
    },
    ['steps.0.with.title path'],
  ],
  [
    'a field that the form has not',
    {
      triggers: [{ ...manual, form }],
      ...doing({ do: 'create_issue', with: { title: '{{ trigger.input.servce }}' } }),
    },
    ['steps.0.with.title path'],
  ],
  [
    'a template that does not end',
    doing({ do: 'create_issue', with: { title: '{{ trigger.record.title' } }),
    ['steps.0.with.title template'],
  ],
  [
    'code in a template',
    doing({ do: 'create_issue', with: { title: '{{ trigger.record.title + 1 }}' } }),
    ['steps.0.with.title template'],
  ],
  [
    'a text into a number',
    doing({ do: 'wait', with: { seconds: '{{ trigger.record.title }}' } }),
    ['steps.0.with.seconds type'],
  ],
  [
    'a number in a text into a number',
    doing({ do: 'wait', with: { seconds: '{{ trigger.event.seq }}0' } }),
    ['steps.0.with.seconds type'],
  ],
  [
    'an object into a text',
    doing({ do: 'create_issue', with: { title: '{{ trigger.event }}' } }),
    ['steps.0.with.title type'],
  ],
  [
    'a list of numbers into one of texts',
    {
      triggers: [
        { ...manual, form: { type: 'object', properties: { n: { type: 'array', items: { type: 'integer' } } } } },
      ],
      grants: ['workspace_members:read'],
      ...doing({ do: 'send_email', with: { to: '{{ trigger.input.n }}', subject: 'x', text: 'x' } }),
    },
    ['steps.0.with.to type'],
  ],
  [
    'words into a choice of others',
    doing({ do: 'create_issue', with: { title: 'It is down', severity: '{{ trigger.record.status }}' } }),
    ['steps.0.with.severity type'],
  ],
  [
    'what is always null',
    doing({ ...pause, id: 'a' }, { do: 'create_issue', with: { title: '{{ steps.a.output }}' } }),
    ['steps.1.with.title type'],
  ],
  [
    'a step to come',
    doing(
      { do: 'create_issue', with: { title: '{{ steps.b.output.title }}' } },
      { id: 'b', do: 'issues.get', with: { id: issueId } },
    ),
    ['steps.0.with.title path'],
  ],
  [
    'a step that there is not',
    doing(listed, { do: 'create_issue', with: { title: '{{ steps.lst.output.count }}' } }),
    ['steps.1.with.title path'],
  ],
  [
    'a step of a branch, from outside',
    doing(
      { do: 'branch', if: 'true', steps: [{ ...pause, id: 'a' }] },
      { do: 'create_issue', with: { title: '{{ steps.a.status }}' } },
    ),
    ['steps.1.with.title path'],
  ],
  [
    'a step of the other way',
    doing({
      do: 'branch',
      if: 'true',
      steps: [{ ...pause, id: 'a' }],
      else: [{ do: 'create_issue', with: { title: '{{ steps.a.status }}' } }],
    }),
    ['steps.0.else.0.with.title path'],
  ],
  [
    'an item outside of its list',
    doing(listed, each([pause]), { do: 'create_issue', with: { title: '{{ item.title }}' } }),
    ['steps.2.with.title path'],
  ],
  [
    'a field that the item has not',
    doing(listed, each([{ do: 'create_issue', with: { title: '{{ item.titel }}' } }])),
    ['steps.1.steps.0.with.title path'],
  ],
  [
    'templates deep in an input',
    doing({ do: 'approve', with: { question: 'x', details: { a: [{ b: '{{ nothing.here }}' }] } } }),
    ['steps.0.with.details.a.0.b path'],
  ],
  [
    'an input that is nested too deep',
    doing({ do: 'approve', with: { question: 'x', details: nested(100) } }),
    [`steps.0.with.details${'.a'.repeat(40)} depth`],
  ],
  // Tools.
  ['a tool that there is not', doing({ do: 'run_tool', with: { name: 'issues_lst' } }), ['steps.0.with.name tool']],
  [
    'a wrong argument of a tool',
    doing({ do: 'run_tool', with: { name: 'issues_list', args: { perPage: 1_000 } } }),
    ['steps.0.with.args.perPage maximum'],
  ],
  // Grants.
  ['no grants', { ...doing(note), grants: [] }, ['grants grant', 'grants grant']],
  ['no grant for the event', { ...doing(note), grants: ['issues:write'] }, ['grants grant']],
  ['a grant that there is not', { grants: ['issues:reed', 'issues:read'] }, ['grants.0 enum']],
  [
    'two missing grants',
    { ...doing({ do: 'thread', with: { instructions: 'x' } }), grants: ['issues:read'] },
    ['grants grant', 'grants grant'],
  ],
  ['a missing grant of a tool', { ...doing({ do: 'run_tool', with: { name: 'int.docs.search' } }) }, ['grants grant']],
  [
    'a missing grant of an inner step',
    { ...doing({ do: 'branch', if: 'true', steps: [note] }), grants: ['issues:read'] },
    ['grants grant'],
  ],
]

function nested(levels: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = { a: value }
  return value
}

describe('a broken definition', () => {
  it.each(broken)('%s', (_, parts, places) => expect(placesIn(parts)).toEqual(places))

  it('is told all of its faults at once', () => {
    const parts = {
      triggers: [{ on: 'schedule', cron: 'x y z a b', timezone: 'Nowhere' }],
      ...{ condition: 'nothing', steps: [{ do: 'nothing' }, { do: 'wait' }], grants: ['nothing'], more: 1 },
    }
    expect(placesIn(parts).sort()).toEqual([
      ...['condition expression', 'grants.0 enum', 'more additionalProperties', 'steps.0.do do'],
      ...['steps.1.with.seconds required', 'triggers.0.cron cron', 'triggers.0.timezone timezone'],
    ])
  })

  it.each([
    [doing({ do: 'isues.post' }), 'did you mean issues.post'],
    [doing({ do: 'creat_issue' }), 'did you mean create_issue?'],
    [{ triggers: [{ on: 'event', event: 'issues.pots' }] }, 'did you mean issues.post'],
    [{ triggers: [{ on: 'event', event: 'isues.*' }] }, 'did you mean issues.*?'],
    [
      doing({ do: 'create_issue', with: { title: '{{ trigger.record.titel }}' } }),
      'did you mean trigger.record.title?',
    ],
    [
      doing({ do: 'create_issue', with: { title: 'x: {{ trigger.rcord.title }}' } }),
      'did you mean trigger.record? (at character 4)',
    ],
    [doing({ do: 'create_issue', with: { title: 'It is down', serverity: 'low' } }), 'did you mean severity?'],
    [doing(listed, { do: 'create_issue', with: { title: '{{ steps.lst.output.count }}' } }), 'did you mean list?'],
    [{ condition: 'trigger.record.titel == "x"' }, 'did you mean title?'],
    [{ step: [] }, 'did you mean steps?'],
    [doing({ do: 'run_tool', with: { name: 'issues_lst' } }), 'did you mean issues_list'],
    [{ ...doing(note), grants: ['issues:read'] }, 'a list with issues:write, which steps.0 (add_note) needs'],
    [
      doing({ do: 'wait', with: { seconds: '{{ trigger.record.title }}' } }),
      'an integer; trigger.record.title is text',
    ],
  ])('is told what to do: %j', (parts, words) => {
    expect(checkDefinition(made(parts)).faults[0]?.expected).toContain(words)
  })
})

describe('grants', () => {
  it('that the caller does not hold have a rule of their own', () => {
    const caller = { role: 'member' as const, scopes: null }
    const { faults } = checkDefinition(made({ grants: ['issues:read', 'billing:write'] }), caller)
    expect(faults.map(({ path, rule }) => `${path} ${rule}`)).toEqual(['grants.1 held'])
    const narrow = checkDefinition(made({}), { role: 'owner' as const, scopes: ['issues:read' as const] })
    expect(narrow.faults.map(({ path, rule }) => `${path} ${rule}`)).toEqual(['grants.1 held'])
    expect(checkDefinition(made({}), { role: 'owner' as const, scopes: null }).faults).toEqual([])
  })

  it('are told from what the steps need', () => {
    const { needs } = checkDefinition(
      made({ ...doing(note, listed, { do: 'thread', with: { instructions: 'x' } }), grants: [] }),
    )
    expect(needs).toEqual(['threads:read', 'threads:write', 'issues:read', 'issues:write'])
    expect(scopes).toEqual(expect.arrayContaining(needs))
  })
})

describe('paths', () => {
  it('are what can be read at the end, with what gives them', () => {
    const { paths } = checkDefinition(
      made(doing(listed, { do: 'branch', if: 'true', steps: [{ ...pause, id: 'inner' }] })),
    )
    expect(paths).toContainEqual({ path: 'trigger.record.title', type: 'string', from: null })
    expect(paths).toContainEqual({ path: 'trigger.record.assigneeId', type: 'string | null', from: null })
    expect(paths).toContainEqual({ path: 'trigger.event.actor.id', type: 'string | null', from: null })
    expect(paths).toContainEqual({ path: 'steps.list.output.count', type: 'integer', from: '0' })
    expect(paths.filter(({ path }) => path.includes('inner'))).toEqual([])
  })

  it('are at most 500', () => {
    const steps = Array.from({ length: 20 }, (_, index) => ({
      id: `s${index}`,
      do: 'issues.get',
      with: { id: issueId },
    }))
    expect(checkDefinition(made({ steps })).paths).toHaveLength(500)
  })
})

describe('the schema', () => {
  it('is plain JSON Schema, with each thing that a step can do', () => {
    const schema = definitionSchema() as {
      $defs: { do: { anyOf: { const: string }[] } }
      properties: Loose
      required: string[]
    }
    const words = schema.$defs.do.anyOf.map(one => one.const)
    expect(words).toEqual([...Object.keys(shorthands), ...stepOperations().keys()])
    expect(words).not.toContain('auth.login')
    expect(Object.keys(schema.properties)).not.toContain('workspaceId')
    expect(schema.required).toEqual(['name', 'triggers', 'steps', 'grants'])
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema)
  })

  it('lists each shorter word with what it takes', () => {
    const list = shorthandList()
    expect(list.map(one => one.do)).toEqual(Object.keys(shorthands))
    expect(list.find(one => one.do === 'create_issue')).toMatchObject({
      operation: 'issues.post',
      input: { type: 'object', required: expect.arrayContaining(['title']) },
    })
  })

  it('uses no keyword that the check of inputs passes over', () => {
    const used = new Set<string>()
    for (const operation of stepOperations().values()) keywordsIn(inputOf(operation), used)
    for (const { input } of Object.values(shorthands)) if (input) keywordsIn(input, used)
    expect([...used].filter(name => !known.has(name) && !name.startsWith('x-'))).toEqual([])
  })
})

const known = new Set(
  (
    'type enum const anyOf oneOf properties required additionalProperties patternProperties propertyNames items minItems ' +
    'maxItems minLength maxLength pattern format minimum maximum minProperties maxProperties ' +
    'title description default examples writeOnly'
  ).split(' '),
)

function keywordsIn(schema: unknown, used: Set<string>): void {
  if (typeof schema !== 'object' || schema === null) return
  for (const [name, value] of Object.entries(schema)) {
    used.add(name)
    const isNamed = name === 'properties' || name === 'patternProperties'
    const isHolder = ['items', 'anyOf', 'oneOf', 'additionalProperties', 'propertyNames'].includes(name)
    if (isNamed) for (const part of Object.values(value as object)) keywordsIn(part, used)
    else if (isHolder) for (const part of [value].flat()) keywordsIn(part, used)
  }
}

/** The same numbers for the same seed. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}

const words = [
  ...['wait', 'branch', 'forEach', 'approve', 'run_tool', 'issues.post', 'issues.*', '*', '__proto__', 'constructor'],
  ...[
    '{{ trigger.record.title }}',
    '{{ steps.a.output }}',
    '{{',
    '{{ __proto__.x }}',
    'steps.a.output == 1',
    '0 9 * * *',
  ],
  ...[
    'schedule',
    'event',
    'manual',
    'webhook',
    'issue.matched',
    '',
    'a',
    '\u0000',
    '\ud800',
    'toString',
    'x'.repeat(300),
  ],
]
const names = [
  ...[
    'triggers',
    'steps',
    'grants',
    'condition',
    'on',
    'event',
    'cron',
    'timezone',
    'where',
    'form',
    'do',
    'with',
    'if',
  ],
  ...[
    'else',
    'id',
    'items',
    'name',
    'args',
    'retry',
    'type',
    'properties',
    '__proto__',
    'constructor',
    'length',
    '$ref',
  ],
]

function random(next: () => number, depth: number): unknown {
  const pick = <T>(all: readonly T[]): T | undefined => all[Math.floor(next() * all.length)]
  const kind = next()
  if (depth > 5 || kind < 0.3) return pick<unknown>([...words, ...words, 0, -1, 1e300, 1.5, true, false, null])
  const count = Math.floor(next() * 5)
  if (kind < 0.55) return Array.from({ length: count }, () => random(next, depth + 1))
  const entries = Array.from(
    { length: count + 1 },
    () => [JSON.stringify(pick(names)), random(next, depth + 1)] as const,
  )
  return JSON.parse(`{${entries.map(([name, value]) => `${name}:${JSON.stringify(value)}`).join(',')}}`)
}

describe('whatever is sent', () => {
  it('is checked, and nothing throws', () => {
    const next = numbers(2_026)
    for (let round = 0; round < 400; round++) {
      const whole = random(next, 0)
      const parts = { triggers: random(next, 1), steps: [random(next, 2), random(next, 2)], condition: random(next, 9) }
      for (const one of [whole, parts, made(parts)]) {
        const { faults } = checkDefinition(one as Definition, { role: 'member', scopes: null })
        for (const fault of faults) expect(fault.expected).not.toBe('')
      }
    }
  })

  it.each([
    ...[5, true, null, { type: 5 }, { enum: 5 }, { items: true }, { items: 5 }, { anyOf: 5 }, { anyOf: [true, 5] }],
    ...[{ patternProperties: { '(': {} } }, { properties: 5 }, { properties: { b: null } }, { allOf: [{ type: [] }] }],
    ...[{ $ref: '#' }, { type: ['string', 'nothing'] }, { const: {} }, { required: 5 }, { not: { not: {} } }],
  ])('may have a form with a field %j', field => {
    const triggers = [{ ...manual, form: { type: 'object', properties: { a: field } } }]
    const steps = [{ do: 'create_issue', with: { title: '{{ trigger.input.a.b.0 }}' }, if: 'trigger.input.a.b == 1' }]
    expect(checkDefinition(made({ triggers, steps })).faults.every(({ expected }) => expected !== '')).toBe(true)
  })

  it('is checked in a moment, however much it is', () => {
    const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`)
    const wide = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, index) => [`name${index}`, '{{ no.such.path }}']),
    )
    const { faults } = checkDefinition(made(doing({ do: 'create_issue', with: { ...wide, title: deep } })))
    expect(faults).toHaveLength(200)
    expect(checkDefinition(deep).faults).not.toEqual([])
    expect(
      checkDefinition(made({ triggers: [{ ...manual, form: { type: 'object', properties: { a: deep } } }] })).faults,
    ).not.toEqual([])
  })
})
