// What can be done with an issue beside changing its properties.
import { Merge, SearchCheck, Share2, Split } from 'lucide-react'
import type { Views } from '../define.ts'

export const recordViews: Views = {
  acts: {
    investigate: {
      icon: SearchCheck,
      about: 'A thread in which an agent looks for the cause, with one thread beneath it for each hypothesis.',
      fields: [{ name: 'prompt', label: 'What to look at first' }, 'hypotheses'],
      done: 'The investigation has begun.',
      touches: ['threads'],
      leadsTo: ({ id }) => `threads/${String(id)}`,
    },
    merge: {
      icon: Merge,
      about: 'Occurrences and timeline move to the other, and further alerts count there. Split takes it back.',
      fields: [{ name: 'intoId', label: 'Into' }],
      done: 'The issues are merged.',
      isOffered: record => record.duplicateOfId === null,
    },
    split: {
      icon: Split,
      about: 'It becomes what it was before it was merged, with what is its own.',
      done: 'The issue stands by itself again.',
      isOffered: record => record.duplicateOfId !== null,
    },
    publish: {
      icon: Share2,
      about: 'A page of the issue as it stands now, without who did what. It is listed under Pages, with its address.',
      fields: ['title', 'visibility', { name: 'ttlDays', label: 'Gone after (days)' }],
      done: 'Published: its address is under Pages.',
      touches: ['pages'],
    },
    del: { about: 'Its timeline and occurrences go with it; issues that were merged into it come back.' },
  },
}
