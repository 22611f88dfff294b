// Metrics of autofixes: how many are proposed, and what becomes of them.
import { type Dims, type Fields, isTold, type LedgerMetric, type Metric } from './metric.ts'

const dimensions = {
  repository: 'id of a repository',
  origin: 'manual, chat, investigation or automation',
}
const withReason = { ...dimensions, reason: 'why it was rejected' }

const events = [
  'autofixes.post',
  'autofixes.patch',
  'autofixes.check',
  'autofixes.approve',
  'autofixes.reject',
  'autofixes.apply',
  'autofixes.merged',
]

/** Their entries need no changes to say what an autofix became. */
const telling = ['autofixes.post', 'autofixes.merged']

const by = ({ repositoryId, origin, closeReason }: Fields): Dims =>
  ({ repository: repositoryId, origin, reason: closeReason }) as Dims

function became(status: string, definition: string, dims: LedgerMetric['dimensions'] = dimensions): LedgerMetric {
  return {
    from: 'ledger',
    subject: 'autofix',
    name: `autofixes.${status}`,
    unit: 'count',
    kind: 'count',
    definition,
    dimensions: dims,
    events,
    measure: change => {
      const { before, after } = change
      const isNow = after?.status === status && before?.status !== status && isTold(change, 'status', telling)
      return isNow ? [{ by: by(after) }] : []
    },
  }
}

export const autofixMetrics: readonly Metric[] = [
  became('proposed', 'Autofixes that became proposed. One that is changed after its approval is proposed again.'),
  became('approved', 'Autofixes that got the approvals they need.'),
  became('applied', 'Autofixes that became a commit on a branch of their own.'),
  became('merged', 'Autofixes that were found merged.'),
  became('rejected', 'Autofixes that a person rejected.', withReason),
  {
    from: 'metrics',
    name: 'autofixes.merge_rate',
    unit: 'ratio',
    kind: 'ratio',
    definition: 'Autofixes merged, of those merged or rejected in the same bucket; nothing where there were none.',
    dimensions,
    part: 'autofixes.merged',
    whole: ['autofixes.merged', 'autofixes.rejected'],
  },
]
