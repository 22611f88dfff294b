// How skills show: in the list, in the editor, with files, versions and as a prompt.
import { Badge, Stack, Text } from '@mantine/core'
import { CirclePause, CirclePlay } from 'lucide-react'
import { ownerAreas } from '../../parts/people.tsx'
import type { CellProps, Views } from '../define.ts'
import { SkillFiles } from './files.tsx'
import { SkillHistory } from './history.tsx'
import { ImportDrop } from './import_drop.tsx'
import { NewSkill, SkillTextTab } from './text.tsx'
import { SkillTrial } from './trial.tsx'

function Enabled({ value }: CellProps) {
  return value ? <Badge color="green">Enabled</Badge> : <Badge color="gray">Disabled</Badge>
}

function Description({ value }: CellProps) {
  return (
    <Text size="sm" lineClamp={2}>
      {String(value)}
    </Text>
  )
}

function Warnings({ value }: CellProps) {
  const warnings = (value ?? []) as string[]
  if (warnings.length === 0) return <Text size="sm">None</Text>
  return (
    <Stack gap={2}>
      {warnings.map(warning => (
        <Text size="sm" key={warning}>
          {warning}
        </Text>
      ))}
    </Stack>
  )
}

export const views: Views = {
  cells: { enabled: Enabled, description: Description },
  facts: { enabled: Enabled, warnings: Warnings },
  above: ImportDrop,
  form: NewSkill,
  presets: [
    {
      label: 'Enable',
      icon: CirclePlay,
      input: { enabled: true },
      done: 'Enabled: agents find it.',
      isOffered: ({ enabled }) => enabled === false,
    },
    {
      label: 'Disable',
      icon: CirclePause,
      input: { enabled: false },
      done: 'Disabled: agents do not find it any more.',
      isOffered: ({ enabled }) => enabled === true,
    },
  ],
  acts: {
    del: { about: 'Its files and versions go with it. To keep agents from using it only, disable it.' },
    prompt: { isHidden: true },
  },
  tabs: [
    { name: 'text', title: 'Text', view: SkillTextTab },
    { name: 'files', title: 'Files', view: SkillFiles },
    { name: 'versions', title: 'Versions', view: SkillHistory },
    { name: 'prompt', title: 'Try as prompt', view: SkillTrial },
  ],
  useChoices: () => ({ ownerId: { choices: [], areas: ownerAreas } }),
}
