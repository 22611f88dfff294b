// What can be done with a thread beside writing in it.
import { Archive, ArchiveRestore, Share2 } from 'lucide-react'
import type { Views } from '../define.ts'

export const recordViews: Views = {
  acts: {
    publish: {
      label: 'Share',
      icon: Share2,
      about:
        'A page of what was said so far, without who said it and without what went into tools. It is listed under Pages.',
      fields: ['title', 'visibility', { name: 'ttlDays', label: 'Gone after (days)' }],
      done: 'Published: this is its address.',
      touches: ['pages'],
      leadsTo: ({ id }) => `pages/${String(id)}`,
    },
    del: { about: 'Its messages and the threads under it go with it; a run in one of them ends at once.' },
  },
  presets: [
    {
      label: 'Archive',
      icon: Archive,
      input: { status: 'archived' },
      done: 'Archived.',
      isOffered: ({ status }) => status === 'idle' || status === 'failed',
    },
    {
      label: 'Restore',
      icon: ArchiveRestore,
      input: { status: 'idle' },
      done: 'Restored.',
      isOffered: ({ status }) => status === 'archived',
    },
  ],
}
