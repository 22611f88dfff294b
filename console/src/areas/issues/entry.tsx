// One entry of an issue's timeline, in words.
import {
  AlertTriangle,
  Bell,
  Bot,
  CircleDot,
  Flag,
  Link2,
  type LucideIcon,
  MessageSquare,
  Pencil,
  Plus,
  Tag,
  UserRound,
} from 'lucide-react'
import type { ReactNode } from 'react'
import type { ItemOf } from '../../../../src/client/catalogue.ts'
import { countOf, momentOf, wordsOf } from '../../format.ts'
import { type Owner, ownerName } from '../../parts/people.tsx'

export type Entry = ItemOf<'issues.timeline.list'>

export const entryIcons: Readonly<Record<Entry['type'], LucideIcon>> = {
  created: Plus,
  status: CircleDot,
  severity: AlertTriangle,
  assigned: UserRound,
  labels: Tag,
  edited: Pencil,
  snoozed: Bell,
  note: MessageSquare,
  milestone: Flag,
  occurrence: Bell,
  linked: Link2,
  agent: Bot,
}

const relations: Readonly<Record<string, string>> = {
  merged: 'took in',
  merged_into: 'merged it into',
  split: 'let go of',
  split_from: 'took it out of',
  recurrence_of: 'reported it again after',
  recurred_as: 'saw it again as',
}

/** "Ada changed the status from New to Open". */
export function sentenceOf(entry: Entry, owners: readonly Owner[]): ReactNode {
  const who = entry.actor.id === null || entry.actor.type === 'system' ? 'Atrium' : ownerName(owners, entry.actor.id)
  return (
    <>
      <strong>{who}</strong> {deedOf(entry, owners)}
    </>
  )
}

function deedOf({ type, data, milestone, edited }: Entry, owners: readonly Owner[]): string {
  const change = data.from ? ` from ${wordsOf(data.from)}` : ''
  const to = data.to ? ` to ${wordsOf(data.to)}` : ''
  switch (type) {
    case 'created':
      return 'reported it'
    case 'status':
      return `changed the status${change}${to}${data.reason ? ` (${wordsOf(data.reason).toLowerCase()})` : ''}`
    case 'severity':
      return `changed the severity${change}${to}`
    case 'assigned':
      return data.assigneeId ? `assigned it to ${ownerName(owners, data.assigneeId)}` : 'took the assignee away'
    case 'labels':
      return labelWords(data.added ?? [], data.removed ?? [])
    case 'edited':
      return `edited ${(data.fields ?? []).map(field => wordsOf(field).toLowerCase()).join(', ')}`
    case 'snoozed':
      return data.until ? `snoozed it until ${momentOf(data.until)}` : 'ended the snooze'
    case 'note':
    case 'agent':
      return `wrote${edited ? ' (edited)' : ''}`
    case 'milestone':
      return `says it is ${milestone ?? 'further'}${edited ? ' (edited)' : ''}`
    case 'occurrence':
      return `counted ${countOf(data.count ?? 0, 'occurrence')}`
    case 'linked':
      return `${relations[data.relation ?? ''] ?? 'linked it to'} #${data.number ?? '?'}`
  }
}

function labelWords(added: readonly string[], removed: readonly string[]): string {
  const parts = [
    ...(added.length > 0 ? [`put ${added.join(', ')} on it`] : []),
    ...(removed.length > 0 ? [`took ${removed.join(', ')} off`] : []),
  ]
  return parts.join(' and ')
}
