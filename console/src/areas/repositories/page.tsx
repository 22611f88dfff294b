// Repositories: code that the workspace may read, from any git host.
import { FolderGit2 } from 'lucide-react'
import { defineArea } from '../define.ts'

export const page = defineArea({
  icon: FolderGit2,
  order: 34,
  one: 'Repository',
  words: 'code git sources files',
  about:
    'Code that people and agents here may read. Any git address is enough. Only branches of autofixes are ever pushed there.',
  none: 'Add one by its https or ssh address, with a token or a deploy key where it is private.',
  columns: ['name', 'status', 'url', 'defaultBranch', 'sizeBytes', 'lastSyncAt', 'labels'],
  labels: {
    ownerId: 'Owner',
    url: 'Address',
    headSha: 'Newest commit',
    sizeBytes: 'Size of the mirror',
    autofixEnabled: 'Autofixes allowed',
    codeowners: 'Has CODEOWNERS',
    syncIntervalMinutes: 'Minutes between syncs',
    lastSyncAt: 'Last synced',
    hostKey: 'Key of the ssh host',
    q: 'Name, description or address',
  },
  usual: { orderBy: 'name', order: 'asc' },
  saved: [
    { title: 'With errors', search: { status: 'error' } },
    { title: 'Disabled', search: { status: 'disabled' } },
  ],
  views: () => import('./views.tsx'),
})
