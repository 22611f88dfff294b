// Where a person writes in a thread: to the others, to an agent that answers, or the answer that an agent waits for.
import { Text } from '@mantine/core'
import { call, queryClient } from '../../api.ts'
import { Composer } from '../../composer/composer.tsx'
import { areaOf } from '../../contract.ts'
import { useStanding } from '../../session.ts'
import { AnsweringSwitch, useAnswering } from './answering.tsx'
import type { Run, Thread } from './thread.ts'

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
  const send = async (text: string) => {
    const { workspaceId, id: threadId } = thread
    const start = !run && answering.isOn ? { run: 'queue' as const } : {}
    const { id } = await call('messages.post', { workspaceId, threadId, text, ...start })
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
    >
      {!run && <AnsweringSwitch answering={answering} />}
    </Composer>
  )
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
