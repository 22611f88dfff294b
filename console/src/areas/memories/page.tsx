// Memories: what the team knows.
import { Lightbulb } from 'lucide-react'
import { defineArea } from '../define.ts'

export const page = defineArea({
  icon: Lightbulb,
  order: 30,
  letter: 'e',
  one: 'Memory',
  words: 'facts knowledge notes',
  about: 'Confirmed facts that people and agents should know.',
  none: 'Write down what the next one should know; agents find it by its words.',
  columns: ['title', 'status', 'visibility', 'confidence', 'labels', 'useCount', 'updated'],
  labels: {
    ownerId: 'Owner',
    teamId: 'Team',
    sourceType: 'Source',
    markdown: 'Text',
    supersededById: 'Superseded by',
    useCount: 'Used by agents',
    lastUsedAt: 'Last used by agents',
    stale: 'Stale',
    q: 'Title',
  },
  fields: [
    'title',
    { name: 'markdown', label: 'Text' },
    'labels',
    { name: 'confidence', about: 'From 0 to 1: how sure you are.' },
    'pinned',
    { name: 'expiresAt', label: 'Hidden from' },
    { name: 'visibility', about: 'Private: you alone, not even admins.' },
    { name: 'teamId', label: 'Team', about: 'With the visibility "team".' },
  ],
  saved: [
    { title: 'Pinned', search: { pinned: 'true' } },
    { title: 'Stale', search: { stale: 'true' } },
    { title: 'Expired', search: { status: 'expired' } },
    { title: 'Superseded or archived', search: { status: ['superseded', 'archived'] } },
  ],
  usual: { orderBy: 'updated', order: 'desc' },
  views: () => import('./views.tsx'),
})
