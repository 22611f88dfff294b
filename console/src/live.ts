// Everything on screen is live: one stream per browser, whose entries have just those queries read again that they concern.
import type { Query } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { addressOf, queryClient } from './api.ts'
import { areaOf, brief } from './contract.ts'
import { useStanding, useWorkspaceId } from './session.ts'

/** As much of an entry as every member is told. */
export type Told = { seq: number; action: string; target: { object: string; id: string } | null }

/** News that is not stored: a part of an answer, how far something is. */
export type Passing = { action: string; target: { object: string; id: string }; data: unknown }

const hearers = new Set<(passing: Passing) => void>()

/** Hears such news in this tab, whichever tab reads the stream. */
export function useEphemeral(hear: (passing: Passing) => void): void {
  const now = useRef(hear)
  now.current = hear
  useEffect(() => {
    const listener = (passing: Passing) => now.current(passing)
    hearers.add(listener)
    return () => void hearers.delete(listener)
  }, [])
}

function pass(passing: Passing): void {
  for (const hear of hearers) hear(passing)
}

const entryHearers = new Set<(entry: Told) => void>()

/** Hears entries as they come, beside the queries that are read again because of them. */
export function useEntries(hear: (entry: Told) => void): void {
  const now = useRef(hear)
  now.current = hear
  useEffect(() => {
    const listener = (entry: Told) => now.current(entry)
    entryHearers.add(listener)
    return () => void entryHearers.delete(listener)
  }, [])
}

const gatherMs = 250
const againMs = 2000

/** Whether a kept query could look otherwise after what happened. */
export function concerns(entry: Told, workspaceId: string, [id, input]: readonly unknown[]): boolean {
  const area = areaOf(String(id))
  const asked = (input ?? {}) as Record<string, unknown>
  if (asked.workspaceId !== undefined && asked.workspaceId !== workspaceId) return false
  if (area === 'audit_logs') return String(id) === 'audit_logs.list'
  const route = brief(entry.action)?.route ?? ''
  // What goes can take others along: keys of a member, members of a team.
  if (route.startsWith('DELETE') && asked.workspaceId === workspaceId) return true
  if (area !== areaOf(entry.action)) return false
  const isOther =
    asked.id !== undefined && entry.target !== null && !Array.isArray(asked.id) && asked.id !== entry.target.id
  return !isOther || String(id).split('.').length > 2
}

type Hearing = { onEntry: (entry: Told) => void; onPassing: (passing: Passing) => void; onOpen: () => void }

/** Reads a stream of events, from after the last entry that was heard, until it ends or is stopped. */
async function follow(
  workspaceId: string,
  last: number | undefined,
  { onEntry, onPassing, onOpen }: Hearing,
  signal: AbortSignal,
) {
  const answer = await fetch(addressOf('events.stream', { workspaceId }), {
    headers: { accept: 'text/event-stream', ...(last !== undefined && { 'last-event-id': String(last) }) },
    signal,
  })
  if (!answer.ok || !answer.body) throw new Error(`The stream was refused with ${answer.status}.`)
  onOpen()
  let rest = ''
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const parts = (rest + value).split('\n\n')
    rest = parts.pop() ?? ''
    for (const part of parts) {
      const [, action] = /^event: (.*)$/m.exec(part) ?? []
      const [, data] = /^data: (.*)$/m.exec(part) ?? []
      if (action === 'ephemeral' && data) onPassing(JSON.parse(data))
      else if (action && data) onEntry({ target: null, ...JSON.parse(data), action })
    }
  }
}

type Message = { workspaceId: string } & (
  | { entry: Told }
  | { passing: Passing }
  | { isLive: boolean }
  | { isAsking: true }
)

/**
 * Of all tabs one holds the lock and reads the stream; it tells the others. When it closes, the next one takes over.
 * True while somebody reads. `elsewhere` is the workspace that is followed on pages that belong to none: what concerns
 * the person comes through any of them.
 */
export function useLive(elsewhere = ''): boolean {
  const inAddress = useWorkspaceId()
  const workspaceId = inAddress || elsewhere
  const { may, isKnown } = useStanding()
  const [isLive, setIsLive] = useState(false)
  const isWanted = inAddress === '' ? elsewhere !== '' : isKnown && may('events.stream')
  useEffect(() => {
    if (!isWanted) return
    const stop = new AbortController()
    const channel = new BroadcastChannel('atrium-live')
    const look = gatherer(workspaceId)
    let isReading = false
    let last: number | undefined
    let wasLive = false
    const hear = (entry: Told) => {
      last = entry.seq
      look(entry)
      for (const listener of entryHearers) listener(entry)
    }
    channel.onmessage = ({ data }: MessageEvent<Message>) => {
      if (data.workspaceId !== workspaceId) return
      if ('entry' in data || 'isLive' in data) wasLive = true
      if ('entry' in data) {
        setIsLive(true)
        hear(data.entry)
      } else if ('passing' in data) pass(data.passing)
      else if ('isLive' in data) setIsLive(data.isLive)
      else if (isReading) say({ workspaceId, isLive: true })
    }
    const say = (message: Message) => channel.postMessage(message)
    const read = async () => {
      while (!stop.signal.aborted) {
        const onOpen = () => {
          // A stream begins now where no entry was heard before: what happened since the one before it ended is read.
          if (wasLive && last === undefined) void queryClient.invalidateQueries()
          wasLive = true
          isReading = true
          setIsLive(true)
          say({ workspaceId, isLive: true })
        }
        const onEntry = (entry: Told) => {
          hear(entry)
          say({ workspaceId, entry })
        }
        const onPassing = (passing: Passing) => {
          pass(passing)
          say({ workspaceId, passing })
        }
        await follow(workspaceId, last, { onEntry, onPassing, onOpen }, stop.signal).catch(() => {})
        if (stop.signal.aborted) return
        isReading = false
        setIsLive(false)
        say({ workspaceId, isLive: false })
        await new Promise(resolve => setTimeout(resolve, againMs))
      }
    }
    say({ workspaceId, isAsking: true })
    // Without locks (plain http from elsewhere) each tab reads for itself.
    const locked = navigator.locks?.request(`atrium-live-${workspaceId}`, { signal: stop.signal }, read) ?? read()
    locked.catch(() => {})
    return () => {
      stop.abort()
      channel.close()
      setIsLive(false)
    }
  }, [workspaceId, isWanted])
  return isLive
}

/** Many changes at once are one look. */
function gatherer(workspaceId: string): (entry: Told) => void {
  let gathered: Told[] = []
  return entry => {
    gathered.push(entry)
    if (gathered.length > 1) return
    setTimeout(() => {
      const entries = gathered
      gathered = []
      void readAgain(({ queryKey }) => entries.some(one => concerns(one, workspaceId, queryKey)))
    }, gatherMs)
  }
}

/** What is on its way may have been read before the change: it is let through, and read once more behind it. */
async function readAgain(isConcerned: (query: Query) => boolean): Promise<void> {
  const underWay = new Set(queryClient.getQueryCache().findAll({ predicate: isConcerned, fetchStatus: 'fetching' }))
  await queryClient.invalidateQueries({ predicate: isConcerned }, { cancelRefetch: false })
  if (underWay.size === 0) return
  await queryClient.invalidateQueries({ predicate: query => underWay.has(query) }, { cancelRefetch: false })
}
