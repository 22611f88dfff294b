// Labels: one set of words for records of every kind.
import { Tag } from 'lucide-react'
import { defineArea } from '../define.ts'

export const page = defineArea({
  icon: Tag,
  order: 20,
  letter: 'b',
  words: 'tags categories',
  about: 'Words that records of every kind are sorted by: one filter finds them all.',
  none: 'Create one, and put it on records in their lists. Labels of a group exclude each other.',
  columns: ['name', 'group', 'usage', 'updated'],
  labels: { usage: 'On', color: 'Colour', ownerId: 'Owner' },
  fields: [
    'name',
    { name: 'color', about: 'Empty: one is made from the name.' },
    'description',
    { name: 'group', about: 'A record carries one label of a group at the most.' },
  ],
  usual: { orderBy: 'name', order: 'asc' },
  views: () => import('./views.tsx'),
})
