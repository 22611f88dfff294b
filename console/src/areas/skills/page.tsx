// Skills: what agents can do here, in the Agent Skills format.
import { GraduationCap } from 'lucide-react'
import { defineArea } from '../define.ts'

export const page = defineArea({
  icon: GraduationCap,
  order: 32,
  letter: 'n',
  one: 'Skill',
  words: 'instructions prompts playbooks runbooks',
  about: 'Instructions that agents follow. They find a skill by its description, and read the rest when they need it.',
  none: 'Write one, or drop a zip with the folder of a skill.',
  columns: ['slug', 'description', 'enabled', 'version', 'labels', 'useCount', 'updated'],
  labels: {
    slug: 'Name',
    ownerId: 'Owner',
    useCount: 'Used by agents',
    lastUsedAt: 'Last used by agents',
    q: 'Name or description',
  },
  hidden: ['markdown', 'body', 'files', 'parametersSchema'],
  isEditable: false,
  usual: { orderBy: 'slug', order: 'asc' },
  saved: [
    { title: 'Enabled', search: { enabled: 'true' } },
    { title: 'Disabled', search: { enabled: 'false' } },
  ],
  views: () => import('./views.tsx'),
})
