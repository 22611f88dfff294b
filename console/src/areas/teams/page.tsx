// Teams: groups of members that can own keys and records.
import { UsersRound } from 'lucide-react'
import { defineArea } from '../define.ts'

export const page = defineArea({
  icon: UsersRound,
  group: 'Access',
  order: 3,
  letter: 't',
  words: 'groups',
  about: 'Groups of members that can own keys and records.',
  none: 'A team keeps its keys and records when somebody leaves.',
  columns: ['name', 'memberCount', 'lead', 'created'],
  labels: { memberCount: 'Members', color: 'Colour' },
  fields: ['name', 'description', 'lead', 'color', 'icon', 'slug'],
  usual: { orderBy: 'name', order: 'asc' },
  subs: {
    members: {
      columns: ['userId', 'created'],
      labels: { userId: 'Name', created: 'Since' },
      none: 'Add a member of the workspace.',
    },
  },
  views: () => import('./views.tsx'),
})
