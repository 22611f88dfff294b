// The tools as a grid, with what can be done to one of them, and the calls that wait for a person.
import { Play, RotateCcw } from 'lucide-react'
import { RecordPage } from '../../record/record_page.tsx'
import { type Place, placeOfArea, type Views } from '../define.ts'
import { ApprovalsPage } from './approvals.tsx'
import { ToolGrid } from './grid.tsx'

const recordViews: Views = {
  acts: {
    run: { icon: Play, about: 'Runs as you. A dry run says what would be called, and whether it would be let in.' },
    reset: {
      label: 'Back to the defaults',
      icon: RotateCcw,
      about: 'What the workspace has said about the tool is forgotten.',
    },
  },
}

/** `approvals` is a word that no tool is called by. */
function RecordOrApprovals({ id }: { id: string }) {
  if (id === 'approvals') return <ApprovalsPage />
  return <RecordPage key={id} place={placeOfArea('agent_tools') as Place} views={recordViews} id={id} />
}

export const views: Views = { ...recordViews, list: ToolGrid, record: RecordOrApprovals }
