// Agent tools: every operation is a tool; the workspace decides which kinds of agent may run it.
import { Bot } from 'lucide-react'
import { defineArea } from '../define.ts'

export const page = defineArea({
  one: 'Agent tool',
  icon: Bot,
  group: 'Access',
  order: 5,
  letter: 'a',
  words: 'mcp policy approvals approve inbox',
  about: 'Each operation is a tool; the workspace decides which kinds of agent may run it.',
  waiting: { listId: 'agent_tools.approvals.list', input: { status: 'pending' }, words: 'waiting for approval' },
  isEditable: false,
  views: () => import('./views.tsx'),
})
