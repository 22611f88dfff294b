// Infrastructure: the things that run, how they hang together, and how they were.
import { Boxes } from 'lucide-react'
import type { FieldProps } from '../../form/field.ts'
import { whenNeeded } from '../../lazily.tsx'
import { defineArea } from '../define.ts'

const Tags = whenNeeded<FieldProps>('NodeTags', async () => (await import('./fields.tsx')).TagsInput)

export const page = defineArea({
  title: 'Infrastructure',
  one: 'Node',
  path: 'infrastructure',
  icon: Boxes,
  order: 35,
  words: 'nodes graph inventory servers databases services resources dependencies cloud topology map drift cmdb',
  about: 'What runs, how it hangs together, and how that was at any time of the last 90 days.',
  none: 'Connect a cloud account, and what it has shows here. What no source tells of can be added by hand.',
  columns: ['name', 'type', 'category', 'tier', 'region', 'accountId', 'lastSeen', 'labels'],
  labels: {
    ownerId: 'Owner',
    accountId: 'Cloud account',
    externalId: 'Called there',
    tag: 'Tag, as key or key=value',
    q: 'Name or external id',
  },
  usual: { orderBy: 'name', order: 'asc' },
  saved: [
    { title: 'Critical', search: { tier: 'critical' } },
    { title: 'Databases', search: { category: 'database' } },
    { title: 'Missing', search: { status: 'missing' } },
    { title: 'Ignored', search: { status: 'ignored' } },
  ],
  fields: [
    { name: 'name', group: 'Node' },
    { name: 'type', group: 'Node', placeholder: 'service', about: 'Letters, digits and _ . : / -' },
    { name: 'category', group: 'Node', start: 'other' },
    { name: 'externalId', group: 'Node', label: 'Called there', about: 'The name where nothing is said.' },
    { name: 'tier', group: 'Who cares', about: 'Empty: by the rules of the workspace.' },
    { name: 'teamId', group: 'Who cares' },
    { name: 'labels', group: 'Who cares', about: 'Words to find it by.' },
    { name: 'provider', group: 'Where it is', start: 'manual' },
    { name: 'accountId', group: 'Where it is' },
    { name: 'region', group: 'Where it is', about: 'Empty where it is in none.' },
    { name: 'tags', group: 'Facts', input: Tags },
    { name: 'properties', group: 'Facts', label: 'Properties (JSON)' },
  ],
  bulkFields: ['tier', 'teamId'],
  views: () => import('./views.tsx'),
})
