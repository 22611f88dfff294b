// The start of a thread: what it is for, who sees it, and its first message.
import { SegmentedControl, Stack, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useId, useRef, useState } from 'react'
import { call } from '../../api.ts'
import type { Attached } from '../../composer/attachments.tsx'
import { Composer } from '../../composer/composer.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { RecordSelect } from '../../parts/record_select.tsx'
import { Crumbs } from '../../record/record_page.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import { type Place, placeOfArea } from '../define.ts'
import { AnsweringSwitch, useAnswering } from './answering.tsx'
import { upload } from './files.tsx'
import { partsOf } from './reply.tsx'
import type { Thread } from './thread.ts'

const types = [
  { value: 'chat', label: 'Chat' },
  { value: 'investigation', label: 'Investigation' },
  { value: 'review', label: 'Review' },
]

const visibilities = [
  { value: 'private', label: 'Only me' },
  { value: 'team', label: 'A team' },
  { value: 'workspace', label: 'All members' },
]

export function NewThread() {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const navigate = useNavigate()
  const answering = useAnswering()
  const [type, setType] = useState('chat')
  const [visibility, setVisibility] = useState('workspace')
  const [teamId, setTeamId] = useState('')
  /** Where the message was refused, the thread is there already. */
  const made = useRef<Thread | null>(null)
  const list = `/w/${workspaceId}/threads`
  const start = async (text: string, attached: readonly Attached[]) => {
    const fields = { type, visibility, ...(visibility === 'team' && { teamId }) } as object
    made.current ??= await call('threads.post', { workspaceId, ...fields })
    const { id: threadId } = made.current
    if (may('messages.post')) {
      const parts = partsOf(text, attached)
      await call('messages.post', { workspaceId, threadId, parts, ...(answering.isOn && { run: 'queue' as const }) })
    }
    // After the guard of unsent words has seen that they are sent.
    setTimeout(() => void navigate({ to: `${list}/${threadId}` as '/' }))
  }
  return (
    <Page
      title="New thread"
      crumbs={<Crumbs place={placeOfArea('threads') as Place} list={list} title="New thread" />}
      narrow
    >
      <Panel>
        <Stack>
          <Choice label="What for" data={types} value={type} onChange={setType} />
          <Choice label="Seen by" data={visibilities} value={visibility} onChange={setVisibility} />
          {visibility === 'team' && <RecordSelect label="Team" areas={['teams']} value={teamId} onChange={setTeamId} />}
          <Composer
            label="Message"
            send="Start"
            most={200_000}
            onSend={start}
            onAttach={may('messages.files.post') ? file => upload(workspaceId, file) : undefined}
            placeholder="What is it about? The first line becomes its name."
          >
            <AnsweringSwitch answering={answering} />
          </Composer>
        </Stack>
      </Panel>
    </Page>
  )
}

type ChoiceProps = {
  label: string
  data: { value: string; label: string }[]
  value: string
  onChange: (value: string) => void
}

function Choice({ label, ...control }: ChoiceProps) {
  const id = useId()
  return (
    <div>
      <Text size="sm" fw={500} mb={4} id={id}>
        {label}
      </Text>
      <SegmentedControl {...control} aria-labelledby={id} />
    </div>
  )
}
