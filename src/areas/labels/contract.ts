// Labels: one set of words for records of every kind, so that one filter cuts through all of them.
import { Type } from 'typebox'
import { id, OwnerId, WorkspaceId } from '../../contract/ids.ts'
import { list, page } from '../../contract/list.ts'
import { area } from '../../contract/operation.ts'
import { choice, deleted, nullable, object, Reference, record, timestamp } from '../../contract/records.ts'

export const LabelId = id('label', 24)

/** The most that one record carries. */
export const mostLabels = 20

/** What a record of a labelled kind shows, and what its inputs take. */
export const LabelIds = Type.Array(LabelId, { maxItems: mostLabels, description: 'Ids of labels.', examples: [[]] })

const word = {
  minLength: 1,
  // A filter takes what begins with `!` away; spaces at the ends are seen by nobody.
  pattern: '^[^\\s!](.*\\S)?$',
  'x-hint': 'one line that neither begins with "!" nor begins or ends with a space',
}
const name = Type.String({ ...word, maxLength: 64, examples: ['Database'] })
const color = Type.String({
  pattern: '^#[0-9a-fA-F]{6}$',
  'x-hint': 'a colour such as #3366cc',
  examples: ['#3366cc'],
})
const description = nullable(Type.String({ maxLength: 256 }))
const group = nullable(
  Type.String({
    ...word,
    maxLength: 32,
    examples: ['Component'],
    description: 'A record carries one label of a group at the most.',
  }),
)

const fields = {
  id: LabelId,
  workspaceId: WorkspaceId,
  ownerId: OwnerId,
  name,
  color,
  description,
  group,
  usage: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
    description: 'How many records of each kind carry it.',
    examples: [{ issue: 12 }],
  }),
  created: timestamp,
  updated: timestamp,
  _object: choice(['label']),
}

export const Label = record('Label', fields)

export const LabelMerge = record('LabelMerge', {
  ...fields,
  mergedId: LabelId,
  moved: Type.Integer({ minimum: 0, description: 'How many records carry this label now instead of the merged one.' }),
  replaced: Type.Integer({
    minimum: 0,
    description: 'How many labels of the same group were taken off those records, since they carry this one now.',
  }),
  replacedIds: Type.Array(LabelId, { description: 'Which labels those were.', examples: [[]] }),
  redirectsUntil: { ...timestamp, description: 'Until then filters find this label by the name and id of the other.' },
})

const Replaced = object({
  object: Type.String({ examples: ['issue'] }),
  id: Type.String(),
  labelId: LabelId,
})

export const LabelApplication = record('LabelApplication', {
  id: LabelId,
  workspaceId: WorkspaceId,
  added: Type.Array(Reference, { description: 'Records that carry it now and did not before.' }),
  removed: Type.Array(Reference, { description: 'Records that carried it before and do not now.' }),
  replaced: Type.Array(Replaced, { description: 'Labels of the same group that were taken off the added records.' }),
  _object: choice(['label_application']),
})

const label = { workspaceId: WorkspaceId, id: LabelId }
/** The most records that one call changes. */
export const mostRecords = 200
const records = Type.Optional(Type.Array(Reference, { maxItems: mostRecords }))

export const labels = area(
  'labels',
  {
    'labels.list': {
      summary: 'List the labels of a workspace',
      route: 'GET /v1/labels/{workspaceId}',
      words: 'tags categories',
      access: ['labels:read'],
      path: object({ workspaceId: WorkspaceId }),
      query: list({
        sort: ['id', 'name', 'group', 'created', 'updated'],
        filter: ['id', 'name', 'group', 'color', 'ownerId'],
        also: ['q'],
      }),
      result: page(Label),
    },
    'labels.get': {
      summary: 'Show a label and how often it is used',
      route: 'GET /v1/labels/{workspaceId}/{id}',
      words: 'tag usage count',
      access: ['labels:read'],
      path: object(label),
      result: Label,
      errors: ['not_found'],
    },
    'labels.post': {
      summary: 'Create a label',
      description: 'Names differ in more than upper and lower case. Without a color, one is made from the name.',
      route: 'POST /v1/labels',
      words: 'tag new',
      access: ['labels:write'],
      body: object({
        workspaceId: WorkspaceId,
        name,
        color: Type.Optional(color),
        description: Type.Optional(description),
        group: Type.Optional(group),
      }),
      result: Label,
      status: 201,
    },
    'labels.patch': {
      summary: 'Change a label',
      description:
        'Filters find it by its old name for 30 days, unless that becomes the name of another. It joins no group of which a record carries another label.',
      route: 'PATCH /v1/labels/{workspaceId}/{id}',
      words: 'tag rename recolor colour',
      access: ['labels:write'],
      path: object(label),
      body: object({
        name: Type.Optional(name),
        color: Type.Optional(color),
        description: Type.Optional(description),
        group: Type.Optional(group),
      }),
      result: Label,
      errors: ['not_found', 'conflict'],
    },
    'labels.apply': {
      summary: 'Put a label on records, and take it off others',
      description:
        'All or nothing, for 200 records of any kinds. It also needs the `:write` scope of the area of each. A label of the same group that an added record carries is taken off, and the answer says so.',
      route: 'POST /v1/labels/{workspaceId}/{id}/apply',
      words: 'tag attach assign bulk untag detach',
      access: ['labels:write'],
      path: object(label),
      body: object({ add: records, remove: records }),
      result: LabelApplication,
      errors: ['not_found'],
    },
    'labels.merge': {
      summary: 'Merge a label into another',
      description:
        'Its records carry the other instead. Filters by its name or id find the other for 30 days, unless the name is used again.',
      route: 'POST /v1/labels/{workspaceId}/{id}/merge',
      words: 'tag combine duplicate unify',
      access: ['labels:write'],
      path: object(label),
      body: object({ intoId: LabelId }),
      result: LabelMerge,
      errors: ['not_found'],
    },
    'labels.del': {
      summary: 'Delete a label and take it off everything',
      route: 'DELETE /v1/labels/{workspaceId}/{id}',
      words: 'tag remove',
      access: ['labels:delete'],
      reach: 'own',
      path: object(label),
      result: deleted('label', label),
      errors: ['not_found'],
    },
  },
  {
    about: 'Words that records are sorted by.',
    carries: { labels: {}, label_assignments: {}, label_redirects: {} },
    records: {
      label: { id: LabelId, table: 'labels', title: 'name', search: ['name', 'description'], owned: true },
    },
    attaches: { label_assignments: 'labels' },
  },
)
