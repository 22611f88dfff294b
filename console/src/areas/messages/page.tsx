// Messages: shown in their threads; an address of one leads to its place there.
import { MessageSquare } from 'lucide-react'
import { defineArea } from '../define.ts'

export const page = defineArea({
  icon: MessageSquare,
  isHidden: true,
  titleOf: ({ text, seq }) => String(text || `Message ${seq}`).slice(0, 60),
  views: () => import('./views.tsx'),
})
