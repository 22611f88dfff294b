// The message in which an answer appears while the model writes it.
import type { Part } from '../../messages/contract.ts'
import type { MessageRow } from '../../messages/store.ts'
import type { Work } from '../own.ts'
import { done } from './stopping.ts'

/** Often enough to be read along, seldom enough to leave the service for others. */
const leastMs = 150

type Usage = NonNullable<MessageRow['usage']>

export function growingMessage({ ctx, run, token }: Work) {
  const { workspaceId, threadId } = run
  let id: string | null = null
  let waiting = ''
  let writtenAt = 0
  let timer: NodeJS.Timeout | undefined
  let isEnding = false
  let failure: { error: unknown } | null = null
  /** What is being written: one piece after the other. */
  let writing: Promise<void> = Promise.resolve()

  const post = async (more: object): Promise<string> => {
    const made = await ctx.call(token, 'messages.post', { workspaceId, threadId, ...more })
    return (done(made, 'write a message') as MessageRow).id
  }
  const patch = async (change: object): Promise<void> => {
    done(await ctx.call(token, 'messages.patch', { workspaceId, id, ...change }), 'write a message')
  }

  async function write(): Promise<void> {
    timer = undefined
    const text = waiting
    waiting = ''
    if (text === '') return
    if (id === null) id = await post({ text, status: 'streaming' })
    else await patch({ append: text })
    writtenAt = performance.now()
  }

  function writeSoon(): void {
    if (timer || isEnding) return
    const ms = Math.max(0, writtenAt + leastMs - performance.now())
    timer = setTimeout(() => {
      writing = write().then(
        () => (waiting === '' ? undefined : writeSoon()),
        error => {
          failure = { error }
        },
      )
    }, ms)
  }

  /** Nothing is written any more but what comes next. */
  async function end(): Promise<void> {
    isEnding = true
    clearTimeout(timer)
    await writing
    if (failure) throw failure.error
  }

  return {
    add(text: string): void {
      if (failure) throw failure.error
      waiting += text
      writeSoon()
    },
    /** All of it at once, calls included: what is complete can be gone on from. */
    async complete(parts: readonly Part[], usage: Usage): Promise<void> {
      await end()
      if (id === null) id = await post({ parts, usage })
      else await patch({ parts, status: 'complete', usage })
    },
    /** What is there stays to be read, and is not gone on from. */
    async fail(usage: Usage): Promise<void> {
      await end()
      await write()
      if (id !== null) await patch({ status: 'failed', usage })
    },
    /** Whoever ends the run says what becomes of the message. */
    async abandon(): Promise<void> {
      await end().catch(() => {})
    },
  }
}
