// Tells whoever watches a thread what a streamed message has grown by, at most twenty times a second.
import type { Feed } from '../../kit/context.ts'

export type Growth = { messageId: string; threadId: string; workspaceId: string; status: string; text: string }

type Told = { length: number; at: number; waiting: NodeJS.Timeout | undefined; newest: Growth }

const leastMs = 50
/** Of one event; whoever gets less than the whole asks for the message. */
const mostText = 4_000
const mostFollowed = 1_000

const followed = new Map<string, Told>()

type Feeds = {
  /** Told when the transaction has committed. */
  inTransaction: Pick<Feed, 'tell'>
  /** Told at once: for what waits until the next twentieth of a second. */
  live: Pick<Feed, 'tell'>
}

export function tellGrowth({ inTransaction, live }: Feeds, growth: Growth, now: Date): void {
  const { messageId, status } = growth
  const at = now.getTime()
  const told = followed.get(messageId) ?? { length: 0, at: 0, waiting: undefined, newest: growth }
  told.newest = growth
  const isOver = status !== 'streaming'
  if (isOver) {
    clearTimeout(told.waiting)
    followed.delete(messageId)
    tell(inTransaction, told, at)
    return
  }
  if (!followed.has(messageId)) {
    if (followed.size >= mostFollowed) forgetOldest()
    followed.set(messageId, told)
  }
  const dueMs = told.at + leastMs - at
  if (dueMs <= 0 && !told.waiting) {
    tell(inTransaction, told, at)
    return
  }
  told.waiting ??= setTimeout(
    () => {
      told.waiting = undefined
      tell(live, told, told.at + leastMs)
    },
    Math.max(1, dueMs),
  ).unref()
}

function tell(feed: Pick<Feed, 'tell'>, told: Told, at: number): void {
  const { messageId, threadId, workspaceId, status, text } = told.newest
  const from = Math.min(told.length, text.length)
  const added = text.slice(from)
  const isWhole = Buffer.byteLength(JSON.stringify(added)) <= mostText
  told.length = text.length
  told.at = at
  feed.tell(workspaceId, {
    action: 'messages.growing',
    target: { object: 'thread', id: threadId },
    data: { messageId, status, from, length: text.length, ...(isWhole && { text: added }) },
  })
}

/** Runs that were lost in the middle of a message leave theirs behind. */
function forgetOldest(): void {
  const [oldest] = followed.keys()
  if (oldest === undefined) return
  clearTimeout(followed.get(oldest)?.waiting)
  followed.delete(oldest)
}
