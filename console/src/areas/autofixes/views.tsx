// How autofixes show in their list, and which page each of them has.
import { Badge, Text } from '@mantine/core'
import { wordsOf } from '../../format.ts'
import { ownerAreas } from '../../parts/people.tsx'
import { Reference } from '../../table/reference.tsx'
import { useReferences } from '../../table/references.ts'
import { useShownRows } from '../../table/rows.tsx'
import type { CellProps, Views } from '../define.ts'
import { type Autofix, type Check, checkStates, statusColors } from './autofix.ts'
import { AutofixPage } from './record.tsx'
import { recordViews } from './record_views.ts'

function Status({ value }: CellProps) {
  return <Badge color={statusColors[value as Autofix['status']]}>{wordsOf(String(value))}</Badge>
}

function CheckCell({ value }: CellProps) {
  const { words, color } = checkStates[(value as Check).state]
  return <Badge color={color}>{words}</Badge>
}

function Repository({ value }: CellProps) {
  const names = useReferences('autofixes.list', ['repositoryId'], useShownRows())
  if (value === null) return <Text size="sm">Deleted</Text>
  const name = names.get(String(value))
  return name ? <Reference id={String(value)} name={name} /> : null
}

export const views: Views = {
  ...recordViews,
  cells: { status: Status, check: CheckCell, repositoryId: Repository },
  record: ({ id }) => <AutofixPage key={id} id={id} />,
  useChoices: () => ({
    checkState: {
      choices: Object.entries(checkStates).map(([value, { words }]) => ({ value, label: words })),
      areas: [],
    },
    ownerId: { choices: [], areas: ownerAreas },
  }),
}
