// Threads: where people and agents work together.
import { MessagesSquare } from 'lucide-react'
import { defineArea } from '../define.ts'

export const page = defineArea({
  icon: MessagesSquare,
  order: 5,
  letter: 'd',
  words: 'conversations chats investigations hypotheses agents runs',
  about: 'Conversations and investigations, in which people and agents work.',
  none: 'Start one, and let an agent answer, or write to your team.',
  columns: ['name', 'type', 'status', 'ownerId', 'visibility', 'labels', 'lastMessageAt'],
  labels: {
    ownerId: 'Owner',
    teamId: 'Team',
    issueId: 'Issue',
    parentThreadId: 'Under',
    lastMessageAt: 'Last message',
    q: 'Name',
  },
  bulkFields: ['visibility'],
  saved: [
    { title: 'Chats', search: { type: 'chat' } },
    { title: 'Investigations', search: { type: 'investigation' } },
    { title: 'Hypotheses', search: { type: 'hypothesis' } },
    { title: 'Automations', search: { type: 'automation' } },
    { title: 'Autofixes', search: { type: 'autofix' } },
    { title: 'Reviews', search: { type: 'review' } },
    { title: 'Waiting for a person', search: { status: 'waiting_on_human' } },
  ],
  keys: { r: 'Reply', e: 'To the end' },
  usual: { orderBy: 'lastMessageAt', order: 'desc' },
  views: () => import('./views.tsx'),
})
