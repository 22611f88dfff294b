// The tools as a grid, with what can be done to one of them.
import { Play, RotateCcw } from 'lucide-react'
import type { Views } from '../define.ts'
import { ToolGrid } from './grid.tsx'

export const views: Views = {
  list: ToolGrid,
  acts: {
    run: { icon: Play, about: 'Runs as you. A dry run says what would be called, and whether it would be let in.' },
    reset: {
      label: 'Back to the defaults',
      icon: RotateCcw,
      about: 'What the workspace has said about the tool is forgotten.',
    },
  },
}
