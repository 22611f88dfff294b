// Automations: when something happens, do these steps.
import { Workflow } from 'lucide-react'
import { defineArea } from '../define.ts'

export const page = defineArea({
  icon: Workflow,
  order: 42,
  letter: 'u',
  one: 'Automation',
  words: 'workflows triggers schedules cron jobs rules runs',
  about: 'When something happens, do these steps: by schedule, event, webhook or hand.',
  none: 'Begin with a template, or build one from a trigger and a few steps.',
  columns: ['name', 'enabled', 'triggers', 'nextRunAt', 'lastExecution', 'stats7d'],
  labels: {
    ownerId: 'Owner',
    triggers: 'Starts',
    nextRunAt: 'Next run',
    lastExecution: 'Last run',
    stats7d: 'Last 7 days',
    q: 'Name or description',
  },
  isEditable: false,
  usual: { orderBy: 'name', order: 'asc' },
  saved: [
    { title: 'Enabled', search: { enabled: 'true' } },
    { title: 'Disabled', search: { enabled: 'false' } },
  ],
  views: () => import('./views.tsx'),
})
