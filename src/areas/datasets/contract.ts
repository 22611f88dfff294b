// Datasets: named stores of rows with a time, such as logs, spans, metrics, or a plain table.
import { Type } from 'typebox'
import { WorkspaceId } from '../../contract/ids.ts'
import { list, page } from '../../contract/list.ts'
import { area } from '../../contract/operation.ts'
import { choice, deleted, object } from '../../contract/records.ts'
import { LabelIds } from '../labels/contract.ts'
import { detecting } from './detecting/contract.ts'
import {
  Dataset,
  DatasetField,
  DatasetId,
  dataset,
  description,
  IssueDetectionGiven,
  Kind,
  retentionDays,
  slug,
} from './fields/contract.ts'
import { querying } from './querying/contract.ts'
import { rows } from './rows/contract.ts'

const given = {
  description: Type.Optional(description),
  retentionDays: Type.Optional(retentionDays),
  issueDetection: Type.Optional(IssueDetectionGiven),
  status: Type.Optional(choice(['active', 'paused'])),
  labels: Type.Optional(LabelIds),
}

export const ownDatasets = area('datasets', {
  'datasets.list': {
    summary: 'List the datasets of a workspace',
    route: 'GET /v1/datasets/{workspaceId}',
    words: 'logs traces metrics tables telemetry stores',
    access: ['datasets:read'],
    path: object({ workspaceId: WorkspaceId }),
    query: list({
      sort: ['created', 'updated', 'slug', 'id'],
      filter: ['id', 'slug', 'kind', 'status', 'ownerId', 'labels'],
      also: ['q', 'span'],
    }),
    result: page(Dataset),
  },
  'datasets.get': {
    summary: 'Show a dataset with how much it holds',
    route: 'GET /v1/datasets/{workspaceId}/{id}',
    words: 'volume size rows bytes retention',
    access: ['datasets:read'],
    path: object(dataset),
    result: Dataset,
    etag: true,
    errors: ['not_found'],
  },
  'datasets.fields': {
    summary: 'List the fields that rows of a dataset have',
    description: 'As they were seen, the most frequent first; beyond 1,000 they are one, called `*`.',
    route: 'GET /v1/datasets/{workspaceId}/{id}/fields',
    words: 'schema columns attributes types discover',
    access: ['datasets:read'],
    path: object(dataset),
    result: object({ fields: Type.Array(DatasetField) }),
    errors: ['not_found'],
  },
  'datasets.post': {
    counts: 'retentionDays',
    summary: 'Make a dataset',
    route: 'POST /v1/datasets',
    words: 'new create logs traces metrics table store',
    access: ['datasets:write'],
    body: object({ workspaceId: WorkspaceId, slug, kind: Kind, ...given }),
    result: Dataset,
    status: 201,
  },
  'datasets.patch': {
    counts: 'retentionDays',
    summary: 'Change, pause or resume a dataset',
    description: 'A shorter retention removes rows with the next daily run.',
    route: 'PATCH /v1/datasets/{workspaceId}/{id}',
    words: 'edit rename retention pause resume detection',
    access: ['datasets:write'],
    path: object(dataset),
    body: object({
      slug: Type.Optional(slug),
      kind: Type.Optional({ ...Kind, description: 'Only what it is already; another is refused.' }),
      ...given,
    }),
    result: Dataset,
    etag: true,
    errors: ['not_found', 'conflict'],
  },
  'datasets.del': {
    summary: 'Delete a dataset with its rows',
    description: 'Refused while a telemetry token points at it.',
    route: 'DELETE /v1/datasets/{workspaceId}/{id}',
    words: 'remove drop logs traces metrics',
    access: ['datasets:delete'],
    reach: 'own',
    path: object(dataset),
    result: deleted('dataset', dataset),
    errors: ['not_found', 'conflict'],
  },
})

const asRows = 'its rows are carried by themselves, whichever engine keeps them'

export const datasets = area(
  'datasets',
  { ...ownDatasets.operations, ...rows.operations, ...querying.operations, ...detecting.operations },
  {
    about: 'Named stores of rows with a time: logs, traces, metrics, or a plain table.',
    carries: { datasets: {} },
    leaves: {
      dataset_fields: 'is made again of the rows',
      dataset_hours: 'is made again of the rows',
      dataset_findings: 'waits to be counted as alerts',
      dataset_leftovers: 'is removed',
      dataset_logs: asRows,
      dataset_metrics: asRows,
      dataset_tables: asRows,
      dataset_traces: asRows,
    },
    events: {
      'datasets.detected': 'Errors in rows of a dataset made or reopened issues',
      'datasets.purged': 'Rows of a dataset were removed',
      'datasets.retained': 'Rows that were over their retention were removed',
    },
    records: {
      dataset: {
        id: DatasetId,
        table: 'datasets',
        title: 'slug',
        search: ['slug', 'description'],
        owned: true,
        labels: true,
      },
    },
  },
)
