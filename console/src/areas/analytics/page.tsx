// Analytics: numbers over time, each with what it means and what is behind it.
import { ChartLine } from 'lucide-react'
import { defineArea } from '../define.ts'

export const page = defineArea({
  title: 'Analytics',
  icon: ChartLine,
  order: 60,
  reads: 'query',
  words: 'statistics figures numbers chart trend insights dashboard csv report',
  about: 'Numbers over time. Each has a definition, and most lead to the entries that they are made of.',
  views: () => import('./views.tsx'),
})
