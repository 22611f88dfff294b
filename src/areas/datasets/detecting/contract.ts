// What detection would make of the rows of the last hour.
import { Type } from 'typebox'
import { area } from '../../../contract/operation.ts'
import { nullable, object } from '../../../contract/records.ts'
import { Severity as IssueSeverity } from '../../issues/fields/contract.ts'
import { dataset, IssueDetectionGiven, rowTime } from '../fields/contract.ts'

const count = Type.Integer({ minimum: 0 })

export const mostTried = 10_000

export const detecting = area('datasets', {
  'datasets.detection.test': {
    summary: 'Try what detection would make of the last hour',
    description:
      `Looks at the newest ${mostTried.toLocaleString('en')} rows of the last hour that may tell of errors, with the ` +
      'settings of the dataset and those that are given; nothing is made. The most frequent errors come first, at most 100.',
    route: 'POST /v1/datasets/{workspaceId}/{id}/detection/test',
    words: 'dry run errors exceptions fingerprint threshold issues preview',
    access: ['datasets:read'],
    path: object(dataset),
    body: object({ issueDetection: Type.Optional(IssueDetectionGiven) }),
    result: object({
      items: Type.Array(
        object({
          fingerprint: Type.String(),
          title: Type.String(),
          severity: IssueSeverity,
          count,
          firstAt: rowTime,
          lastAt: rowTime,
          isIssue: Type.Boolean({ description: 'It is frequent enough for an issue.' }),
          example: object({
            at: rowTime,
            rowId: Type.Integer(),
            traceId: nullable(Type.String()),
            spanId: nullable(Type.String()),
          }),
        }),
      ),
      errors: { ...count, description: 'Different ones, whether they are shown or not.' },
      issues: { ...count, description: 'How many of them are frequent enough.' },
      scanned: { ...count, description: 'Rows that were looked at.' },
      partial: Type.Boolean({ description: 'There were more rows than are looked at.' }),
    }),
    audit: false,
    errors: ['not_found'],
  },
})
