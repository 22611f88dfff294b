// What the pages of analytics show.
import type { Views } from '../define.ts'
import { AnalyticsPage } from './analytics_page.tsx'

export const views: Views = { list: AnalyticsPage }
