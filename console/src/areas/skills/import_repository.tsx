// Skills from a repository: its folder and ref, in a window of their own.
import { Button, Modal, Stack, Text, TextInput } from '@mantine/core'
import { FolderGit2 } from 'lucide-react'
import { useState } from 'react'
import type { ResultOf } from '../../../../src/client/catalogue.ts'
import { useAct } from '../../api.ts'
import { Failure } from '../../parts/failure.tsx'
import { RecordSelect } from '../../parts/record_select.tsx'
import { useWorkspaceId } from '../../session.ts'

type Items = ResultOf<'skills.import'>['items']

export function ImportRepository({ onImported }: { onImported: (items: Items) => void }) {
  const workspaceId = useWorkspaceId()
  const [isOpen, setIsOpen] = useState(false)
  const [place, setPlace] = useState({ repositoryId: '', path: '', ref: '' })
  const act = useAct('skills.import', {
    onDone: ({ items }) => {
      setIsOpen(false)
      onImported(items)
    },
  })
  const set = (part: Partial<typeof place>) => setPlace(before => ({ ...before, ...part }))
  const send = () => {
    const given = Object.fromEntries(Object.entries(place).filter(([, value]) => value.trim() !== ''))
    act.mutate({ workspaceId, content: { kind: 'json', bytes: new TextEncoder().encode(JSON.stringify(given)) } })
  }
  return (
    <>
      <Button
        variant="default"
        size="xs"
        leftSection={<FolderGit2 size={14} aria-hidden />}
        onClick={() => setIsOpen(true)}
        style={{ alignSelf: 'flex-end' }}
      >
        Import from a repository
      </Button>
      <Modal opened={isOpen} onClose={() => setIsOpen(false)} title="Import from a repository">
        <form
          onSubmit={event => {
            event.preventDefault()
            send()
          }}
        >
          <Stack>
            <Text size="sm" c="dimmed">
              Each folder with a SKILL.md becomes a skill, and follows the repository at each sync.
            </Text>
            <RecordSelect
              label="Repository"
              areas={['repositories']}
              required
              value={place.repositoryId}
              onChange={repositoryId => set({ repositoryId })}
            />
            <TextInput
              label="Folder"
              description="Of one skill, or with several below it. Empty: all of the repository."
              placeholder="skills"
              value={place.path}
              onChange={event => set({ path: event.currentTarget.value })}
            />
            <TextInput
              label="Branch or tag"
              description="Empty: the default branch."
              value={place.ref}
              onChange={event => set({ ref: event.currentTarget.value })}
            />
            <Failure error={act.error} onRetry={act.again} />
            <Button type="submit" loading={act.isPending} disabled={place.repositoryId === ''}>
              Import
            </Button>
          </Stack>
        </form>
      </Modal>
    </>
  )
}
