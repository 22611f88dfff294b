// What can be done with an OAuth client beyond changing it.
import { RotateCw } from 'lucide-react'
import { ScopeCount, ScopeList } from '../../parts/scopes.tsx'
import type { Views } from '../define.ts'

export const views: Views = {
  cells: { scopes: ScopeCount },
  facts: { scopes: ScopeList },
  acts: {
    rotateSecret: {
      label: 'New secret',
      icon: RotateCw,
      about: 'The old secret ends at once; the application needs the new one to go on.',
      isOffered: ({ type }) => type === 'confidential',
    },
    del: { about: 'All its tokens end at once, for everybody who let it in. This cannot be taken back.' },
  },
}
