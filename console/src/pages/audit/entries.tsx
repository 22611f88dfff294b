// Entries of the audit log in words: who, what, on what, and how it ended.
import { Badge, Text } from '@mantine/core'
import { type ItemOf, operation } from '../../../../src/client/catalogue.ts'
import { wordsOf } from '../../format.ts'

export type Entry = ItemOf<'audit_logs.list'>

export function actionWords(action: string): string {
  return operation(action)?.summary.split(/[;,:]/)[0] ?? wordsOf(action.replaceAll('.', ' '))
}

export function actorName({ actor }: Entry): string {
  return actor.name ?? actor.id ?? wordsOf(actor.type)
}

export function Outcome({ entry }: { entry: Entry }) {
  return entry.outcome === 'success' ? <Badge color="green">Done</Badge> : <Badge color="red">Refused</Badge>
}

export function Target({ entry }: { entry: Entry }) {
  if (!entry.target) return null
  return (
    <Text span size="sm" c="dimmed">
      {wordsOf(entry.target.object)}{' '}
      <Text span ff="monospace" fz="xs">
        {entry.target.id.length > 18 ? `${entry.target.id.slice(0, 16)}…` : entry.target.id}
      </Text>
    </Text>
  )
}
