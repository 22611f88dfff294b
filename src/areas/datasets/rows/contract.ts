// Rows of a dataset: read one after the other, sent in, and taken away as a file.
import { Type } from 'typebox'
import { area } from '../../../contract/operation.ts'
import { choice, nullable, object } from '../../../contract/records.ts'
import { agentCallers } from '../../../contract/scopes.ts'
import { Dataset, DatasetRow, dataset, filter, rowTime } from '../fields/contract.ts'

export const mostRowsAtOnce = 1_000
export const mostTailed = 100
const mostBytes = 5 * 1024 * 1024

const count = Type.Integer({ minimum: 0 })

const span = {
  from: Type.Optional({ ...rowTime, description: 'At this time or later.' }),
  to: Type.Optional({ ...rowTime, description: 'Before this time.' }),
}

export const rows = area('datasets', {
  'datasets.rows.list': {
    summary: 'Read rows of a dataset, the newest first',
    route: 'GET /v1/datasets/{workspaceId}/{id}/rows',
    words: 'logs spans events tail search telemetry',
    access: ['datasets:read'],
    path: object(dataset),
    query: object({
      filter: Type.Optional(filter),
      ...span,
      order: Type.Optional(choice(['asc', 'desc'], { default: 'desc', description: 'By time.' })),
      perPage: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: 100 })),
      after: Type.Optional(Type.String({ maxLength: 100, description: 'The `next` of the page before.' })),
    }),
    result: object({
      items: Type.Array(DatasetRow),
      next: nullable(
        Type.String({
          description:
            'For `after`: where the next page begins; null at the end. With a filter, a page may be empty before that.',
        }),
      ),
    }),
    errors: ['not_found'],
  },
  'datasets.rows.post': {
    summary: 'Send rows to a dataset',
    description:
      `A JSON array or NDJSON of at most ${mostRowsAtOnce} objects. \`at\` is the time, as ISO text or in milliseconds ` +
      'since 1970; now where it is missing. Columns of the kind, `attributes` and `resource` are taken by their names, ' +
      'everything else becomes an attribute. Answered when the rows are on the disk; bad ones are named in `rejected`.',
    route: 'POST /v1/datasets/{workspaceId}/{id}/rows',
    words: 'ingest insert write append events logs upload',
    access: ['datasets:write'],
    path: object(dataset),
    consumes: ['json', 'ndjson'],
    bodyLimit: mostBytes,
    gzip: true,
    // Rows are no changes of a record: a ledger of them would be a second dataset.
    audit: false,
    result: object({
      accepted: count,
      rejected: Type.Array(
        object({ index: { ...count, description: 'Its place in the call, from 0.' }, why: Type.String() }),
        { description: 'The first hundred.' },
      ),
      rejectedCount: count,
    }),
    errors: ['not_found', 'payment_required'],
  },
  'datasets.export': {
    summary: 'Export rows of a dataset as NDJSON or CSV',
    description: 'Streamed, the oldest first. The export is recorded.',
    route: 'GET /v1/datasets/{workspaceId}/{id}/export',
    words: 'download dump csv ndjson file',
    access: ['datasets:read'],
    path: object(dataset),
    query: object({
      format: Type.Optional(choice(['ndjson', 'csv'], { default: 'ndjson' })),
      filter: Type.Optional(filter),
      ...span,
    }),
    result: Type.String({ description: 'A file, not the envelope.' }),
    produces: ['application/x-ndjson', 'text/csv'],
    audit: true,
    errors: ['not_found'],
  },
  'datasets.tail': {
    summary: 'Follow the rows of a dataset as they come',
    description:
      `Server-sent events: \`row\` has a row, \`omitted\` says how many more there were. At most ${mostTailed} rows a ` +
      'second, the newest of them; rows that come more than ten seconds late are not shown. Ends with the credential.',
    route: 'GET /v1/datasets/{workspaceId}/{id}/tail',
    words: 'live stream watch logs spans follow',
    access: ['datasets:read'],
    path: object(dataset),
    query: object({ filter: Type.Optional(filter) }),
    result: Type.String({ description: 'A stream of events, not the envelope.' }),
    produces: ['text/event-stream'],
    errors: ['not_found'],
  },
  'datasets.purge': {
    summary: 'Remove rows of a dataset for good',
    description: 'Those before a time, or those that a filter finds, or both. A job does it; the counts follow.',
    route: 'POST /v1/datasets/{workspaceId}/{id}/purge',
    past: 'removed rows of',
    words: 'erase delete rows clean privacy',
    access: ['datasets:delete'],
    restricted: agentCallers,
    reach: 'own',
    path: object(dataset),
    body: object({
      before: Type.Optional({ ...rowTime, description: 'Rows before this time.' }),
      filter: Type.Optional(filter),
    }),
    result: Dataset,
    status: 202,
    errors: ['not_found'],
  },
})

/** The cursor of `datasets.rows.list`. */
export const cursorForm = /^(\d{1,20})\.(\d{1,16})$/
