// How threads show in the list; the search over their messages, the page of one and the start of another.
import { Badge } from '@mantine/core'
import { Search } from 'lucide-react'
import { wordsOf } from '../../format.ts'
import { OwnerName, ownerAreas } from '../../parts/people.tsx'
import type { CellProps, Views } from '../define.ts'
import { NewThread } from './new_thread.tsx'
import { ThreadPage } from './record.tsx'
import { recordViews } from './record_views.ts'
import { ThreadSearch } from './search.tsx'
import { type Thread, threadColors } from './thread.ts'

function Status({ value }: CellProps) {
  return <Badge color={threadColors[value as Thread['status']]}>{wordsOf(String(value))}</Badge>
}

function Owner({ value }: CellProps) {
  return <OwnerName id={value as string | null} />
}

export const views: Views = {
  ...recordViews,
  cells: { status: Status, ownerId: Owner },
  layouts: [{ name: 'search', title: 'Search', icon: Search, view: ThreadSearch }],
  record: ({ id }) => <ThreadPage key={id} id={id} />,
  form: NewThread,
  useChoices: () => ({ ownerId: { choices: [], areas: ownerAreas } }),
}
