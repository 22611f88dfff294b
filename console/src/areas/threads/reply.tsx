// Where a person writes in a thread: to the others, to an agent that answers, or the answer that an agent waits for.
import { Text } from '@mantine/core'
import { call, queryClient } from '../../api.ts'
import type { Attached } from '../../composer/attachments.tsx'
import { Composer } from '../../composer/composer.tsx'
import { areaOf } from '../../contract.ts'
import { useStanding } from '../../session.ts'
import { AnsweringSwitch, useAnswering } from './answering.tsx'
import { upload } from './files.tsx'
import type { Part, Run, Thread } from './thread.ts'

type ReplyProps = {
  thread: Thread
  /** The one that has not ended. */
  run: Run | undefined
  onSent: (id: string) => Promise<void>
}

const mostText = 200_000

export function Reply({ thread, run, onSent }: ReplyProps) {
  const { may } = useStanding()
  const answering = useAnswering()
  if (!may('messages.post')) return null
  if (thread.status === 'archived') return <Text c="dimmed">It is archived. Restore it to go on.</Text>
  const isAsked = run?.waitsFor === 'answer'
  const send = async (text: string, attached: readonly Attached[]) => {
    const { workspaceId, id: threadId } = thread
    const start = !run && answering.isOn ? { run: 'queue' as const } : {}
    const { id } = await call('messages.post', { workspaceId, threadId, parts: partsOf(text, attached), ...start })
    await onSent(id)
    refresh()
    requestAnimationFrame(() => window.scrollTo({ top: document.documentElement.scrollHeight }))
  }
  return (
    <Composer
      key={thread.id}
      label={isAsked ? 'Answer' : 'Message'}
      send={isAsked ? 'Answer' : 'Send'}
      lines={2}
      most={mostText}
      placeholder={placeholderOf(run, isAsked)}
      onSend={send}
      onAttach={may('messages.files.post') ? file => upload(thread.workspaceId, file) : undefined}
    >
      {!run && <AnsweringSwitch answering={answering} />}
    </Composer>
  )
}

/** What is said, then the files beside it. */
export function partsOf(text: string, attached: readonly Attached[]): Part[] {
  return [
    ...(text ? [{ type: 'text' as const, markdown: text }] : []),
    ...attached.map(({ id }) => ({ type: 'file' as const, fileId: id })),
  ]
}

function placeholderOf(run: Run | undefined, isAsked: boolean): string {
  if (isAsked) return 'The agent waits for your answer.'
  return run
    ? 'Say something while it works. @ mentions a record.'
    : 'Write a message. Markdown works, @ mentions a record.'
}

function refresh(): void {
  const isConcerned = (id: unknown) => ['threads', 'messages'].includes(areaOf(String(id)))
  void queryClient.invalidateQueries({ predicate: ({ queryKey }) => isConcerned(queryKey[0]) })
}
