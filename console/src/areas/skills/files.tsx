// The files of a skill: listed, downloaded, added by drop, removed.
import { ActionIcon, Anchor, Button, Group, Stack, Table, Text, TextInput, VisuallyHidden } from '@mantine/core'
import { Download, FileText, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { addressOf, useAct } from '../../api.ts'
import type { Row } from '../../named.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { contentOf, Drop } from '../../parts/drop.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Empty, Panel } from '../../parts/page.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import { bytesOf } from '../../units.ts'
import type { Skill } from './skill.ts'

type SkillFile = Skill['files'][number]

export function SkillFiles({ record }: { record: Row }) {
  const skill = record as Skill
  const { may } = useStanding()
  const workspaceId = useWorkspaceId()
  const [gone, setGone] = useState<SkillFile | null>(null)
  const del = useAct('skills.files.del', {
    onDone: () => {
      setGone(null)
      done('The file is removed.')
    },
  })
  const zip = (
    <Button
      component="a"
      size="xs"
      variant="default"
      href={addressOf('skills.export', { workspaceId, id: skill.id })}
      leftSection={<Download size={14} aria-hidden />}
    >
      Download all as zip
    </Button>
  )
  return (
    <Stack>
      <Panel title="Files" aside={zip}>
        {skill.files.length === 0 ? (
          <Empty
            icon={FileText}
            title="No files beside SKILL.md"
            text="Scripts, references and templates that the instructions speak of."
          />
        ) : (
          <FileTable skill={skill} onRemove={may('skills.files.del') ? setGone : null} />
        )}
      </Panel>
      {may('skills.files.put') && <AddFile skill={skill} />}
      <Confirm
        opened={gone !== null}
        onClose={() => setGone(null)}
        title={`Remove ${gone?.path ?? ''}?`}
        label="Remove"
        act={del}
        onAct={() => gone && del.mutate({ workspaceId, id: skill.id, fileId: gone.id })}
      >
        It makes a new version without the file. Earlier versions keep it.
      </Confirm>
    </Stack>
  )
}

function FileTable({ skill, onRemove }: { skill: Skill; onRemove: ((file: SkillFile) => void) | null }) {
  const workspaceId = useWorkspaceId()
  return (
    <Table aria-label="Files of the skill">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Path</Table.Th>
          <Table.Th>Type</Table.Th>
          <Table.Th>Size</Table.Th>
          {onRemove && (
            <Table.Th>
              <VisuallyHidden>Remove</VisuallyHidden>
            </Table.Th>
          )}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {skill.files.map(file => (
          <Table.Tr key={file.id}>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>
              <Anchor size="sm" href={addressOf('skills.files.get', { workspaceId, id: skill.id, fileId: file.id })}>
                {file.path}
              </Anchor>
            </Table.Td>
            <Table.Td>
              <Text size="sm">{file.mimeType}</Text>
            </Table.Td>
            <Table.Td>
              <Text size="sm">{bytesOf(file.size)}</Text>
            </Table.Td>
            {onRemove && (
              <Table.Td>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={`Remove ${file.path}`}
                  onClick={() => onRemove(file)}
                >
                  <Trash2 size={16} aria-hidden />
                </ActionIcon>
              </Table.Td>
            )}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

function AddFile({ skill }: { skill: Skill }) {
  const workspaceId = useWorkspaceId()
  const [folder, setFolder] = useState('')
  const put = useAct('skills.files.put', { onDone: ({ path }) => done(`${path} is saved.`) })
  const take = async (files: File[]) => {
    for (const file of files) {
      const path = [folder.trim().replace(/\/+$/, ''), file.name].filter(Boolean).join('/')
      await put.mutateAsync({ workspaceId, id: skill.id, path, content: await contentOf('bytes', file) })
    }
  }
  return (
    <Panel title="Add files">
      <Stack>
        <Group>
          <TextInput
            label="Folder"
            placeholder="references"
            description="Empty: beside SKILL.md"
            value={folder}
            onChange={event => setFolder(event.currentTarget.value)}
          />
        </Group>
        <Drop
          label="Choose a file"
          text="Drop files here, at most 1 MiB each. A file of the same path is replaced."
          isBusy={put.isPending}
          // What went wrong is shown below.
          onFiles={files => void take(files).catch(() => {})}
        />
        <Failure error={put.error} onRetry={put.again} />
      </Stack>
    </Panel>
  )
}
