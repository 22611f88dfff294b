// Issues: one problem, once, with everything about it.
import { CircleDot } from 'lucide-react'
import { defineArea } from '../define.ts'

const notClosed = ['!resolved', '!dismissed']

export const page = defineArea({
  icon: CircleDot,
  order: 10,
  letter: 'i',
  words: 'problems incidents bugs alerts',
  about: 'Problems, each once, however many alerts tell of it.',
  none: 'Report one, or send alerts: those of one fingerprint become one issue.',
  columns: ['title', 'severity', 'status', 'assigneeId', 'labels', 'occurrences', 'updated'],
  labels: { assigneeId: 'Assignee', teamId: 'Team', ownerId: 'Owner', correlationKey: 'Correlation', q: 'Title' },
  fields: ['title', { name: 'body', label: 'Description' }, 'severity', 'assigneeId', 'labels', 'status', 'teamId'],
  bulkFields: ['status', 'severity', 'assigneeId'],
  saved: [
    { title: 'Not closed', search: { status: notClosed } },
    { title: 'Mine', search: { assigneeId: 'me', status: notClosed } },
    { title: 'Unassigned critical', search: { assigneeId: 'none', severity: 'critical', status: notClosed } },
  ],
  keys: { s: 'Status', p: 'Severity', a: 'Assignee', l: 'Labels' },
  usual: { orderBy: 'updated', order: 'desc' },
  views: () => import('./views.tsx'),
})
