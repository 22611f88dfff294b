// The audit log: who did what, refusals too.
import { ScrollText } from 'lucide-react'
import { defineArea } from '../define.ts'

export const page = defineArea({
  title: 'Audit log',
  one: 'Entry',
  path: 'audit_log',
  icon: ScrollText,
  group: 'Workspace',
  order: 6,
  letter: 'l',
  words: 'activity history ledger',
  about: 'Who did what here, refusals too. Nobody can change it.',
  none: 'Each change in the workspace is written here.',
  columns: ['action', 'outcome', 'at'],
  labels: {
    action: 'What happened',
    actorId: 'Who',
    at: 'When',
    object: 'Kind of record',
    targetId: 'Record ID',
    to: 'Until',
  },
  usual: { orderBy: 'seq', order: 'desc' },
  saved: [
    { title: 'Changes', search: { outcome: 'success' } },
    { title: 'Refused', search: { outcome: 'denied' } },
  ],
  views: () => import('./views.tsx'),
})
