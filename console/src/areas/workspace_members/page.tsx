// Members: who belongs to the workspace, and what each may do.
import { Users } from 'lucide-react'
import { defineArea } from '../define.ts'

export const page = defineArea({
  title: 'Members',
  one: 'Member',
  path: 'members',
  icon: Users,
  group: 'Access',
  order: 2,
  letter: 'm',
  words: 'people invite',
  about: 'Who belongs to the workspace, and what each may do.',
  columns: ['forename', 'position', 'lastActive', 'created'],
  labels: {
    forename: 'Name',
    position: 'Role',
    created: 'Joined',
    userId: 'User ID',
    scopes: 'Narrowed to',
    email: 'E-mail address',
  },
  fields: ['position', 'status', 'scopes'],
  usual: { order: 'asc' },
  saved: [
    { title: 'Admins', search: { position: 'admin' } },
    { title: 'Suspended', search: { status: 'suspended' } },
  ],
  titleOf: ({ forename, surname, email }) =>
    [forename, surname].filter(Boolean).join(' ') || String(email ?? 'Unnamed'),
  views: () => import('./views.tsx'),
})
