// What can be done with an autofix from its menu; what decides over it has buttons on its page, beside the patch.
import { RefreshCw, Share2 } from 'lucide-react'
import type { Views } from '../define.ts'
import { type Autofix, isOpen } from './autofix.ts'

export const recordViews: Views = {
  acts: {
    check: {
      label: 'Check again',
      icon: RefreshCw,
      about: 'Git tries the patch on the newest commit that was synced. Syncs of the repository do so by themselves.',
      done: 'It is checked.',
      isOffered: record => isOpen(record as Autofix) || record.status === 'applied',
    },
    // Nobody approves, rejects or applies what is not before them.
    approve: { isHidden: true },
    reject: { isHidden: true },
    apply: { isHidden: true },
    publish: {
      label: 'Publish as page',
      icon: Share2,
      about:
        'A page of the autofix as it stands now, with its patch and without names of people. It is listed under Pages, with its address.',
      fields: ['title', 'visibility', { name: 'ttlDays', label: 'Gone after (days)' }],
      done: 'Published: its address is under Pages.',
      touches: ['pages'],
    },
    del: {
      about: 'The patch goes with it. A branch that was pushed stays where it is.',
      isOffered: record => record.status !== 'applied',
    },
  },
}
