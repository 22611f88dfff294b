// The page of a thread: what was said, where one writes, and what is known of it at the side.
import './thread.css'
import { Button, Menu } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { Download, PanelRight } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { addressOf, queryClient, useCall } from '../../api.ts'
import { Loaded, Page } from '../../parts/page.tsx'
import { Acts } from '../../record/acts.tsx'
import { Crumbs } from '../../record/record_page.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import { useLook } from '../../table/look.ts'
import { type Place, placeOfArea } from '../define.ts'
import { Beside } from './beside.tsx'
import { type Transcript, useTranscript } from './reading.ts'
import { recordViews } from './record_views.ts'
import { Reply } from './reply.tsx'
import { RunState } from './run_state.tsx'
import { useRuns } from './runs.tsx'
import { isActive, type Thread } from './thread.ts'
import { TranscriptView } from './transcript.tsx'

export function ThreadPage({ id }: { id: string }) {
  const workspaceId = useWorkspaceId()
  const navigate = useNavigate()
  const place = placeOfArea('threads') as Place
  const found = useCall('threads.get', { workspaceId, id })
  const list = `/w/${workspaceId}/threads`
  const title = found.data?.name ?? 'Thread'
  return (
    <Page
      title={title}
      crumbs={<Crumbs place={place} list={list} title={title} />}
      actions={
        found.data && (
          <Acts place={place} views={recordViews} record={found.data} onGone={() => void navigate({ to: list as '/' })}>
            <Exports thread={found.data} />
          </Acts>
        )
      }
    >
      <Loaded query={found}>{thread => <Opened thread={thread} />}</Loaded>
    </Page>
  )
}

function Opened({ thread }: { thread: Thread }) {
  const { may } = useStanding()
  const [{ message: wanted }] = useLook<{ message?: string }>()
  const [isOpen, setIsOpen] = useState(false)
  const transcript = useTranscript(thread.workspaceId, thread.id, wanted)
  const runs = useRuns(thread.id)
  useNameOf(thread, transcript)
  return (
    <>
      <Button
        hiddenFrom="lg"
        variant="default"
        size="xs"
        leftSection={<PanelRight size={14} aria-hidden />}
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        style={{ alignSelf: 'flex-start' }}
      >
        {isOpen ? 'Hide details' : 'Details'}
      </Button>
      <div className="atrium-thread">
        <div>
          {may('messages.list') && (
            <TranscriptView
              transcript={transcript}
              wanted={wanted}
              state={
                <RunState thread={thread} runs={runs} isWriting={transcript.items.at(-1)?.status === 'streaming'} />
              }
            >
              <Reply thread={thread} run={runs.find(isActive)} onSent={transcript.reread} />
            </TranscriptView>
          )}
        </div>
        <aside className="atrium-thread-side" data-open={isOpen || undefined} aria-label="About the thread">
          <Beside thread={thread} runs={runs} />
        </aside>
      </div>
    </>
  )
}

/** A thread is called by its first message, until somebody names it: where that changes, so does the name. */
function useNameOf({ id, workspaceId }: Thread, { items }: Transcript): void {
  const [first] = items
  const naming = first?.seq === 1 ? first.text : undefined
  const before = useRef(naming)
  useEffect(() => {
    if (before.current !== naming)
      void queryClient.invalidateQueries({ queryKey: ['threads.get', { workspaceId, id }] })
    before.current = naming
  }, [naming, workspaceId, id])
}

function Exports({ thread: { workspaceId, id } }: { thread: Thread }) {
  const { may } = useStanding()
  if (!may('threads.export')) return null
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<Download size={16} aria-hidden />}>
          Download
        </Button>
      </Menu.Target>
      <Menu.Dropdown aria-label="Download as">
        {(['md', 'json'] as const).map(format => (
          <Menu.Item
            key={format}
            component="a"
            href={addressOf('threads.export', { workspaceId, id, format })}
            download
          >
            {format === 'md' ? 'Markdown' : 'JSON'}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
