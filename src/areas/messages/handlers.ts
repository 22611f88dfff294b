// Carries out the operations on messages; their SQL is the threads', which hold their places.

import { badRequest, conflict, forbidden, notFound } from '../../contract/errors.ts'
import { keepBlob, readBlob, readPart } from '../../kit/blobs.ts'
import type { Caller } from '../../kit/context.ts'
import { answering, answerOf, implement, staged } from '../../kit/implement.ts'
import { found } from '../../kit/outcomes.ts'
import { reachOf } from '../../kit/owned.ts'
import { newId } from '../../kit/random.ts'
import { FileId, MessageId, unnamed } from '../threads/fields/contract.ts'
import * as files from '../threads/files/store.ts'
import type { Part } from '../threads/messages/contract.ts'
import * as store from '../threads/messages/store.ts'
import {
  answerAsked,
  awaitEnd,
  checkParts,
  pageOfMessages,
  refuseArchived,
  refuseForeignWriter,
  refuseStrayResults,
  resultsIn,
  searchMessages,
  startRun,
  textOf,
  titleOf,
} from '../threads/others/store.ts'
import { runMoves } from '../threads/runs/contract.ts'
import type { RunRow } from '../threads/runs/store.ts'
import * as threads from '../threads/store.ts'
import { enter } from '../workspaces/entering/store.ts'
import { checkCitations } from './citations.ts'
import { messages } from './contract.ts'
import { type Growth, tellGrowth } from './growing.ts'
import { textPiece } from './text_piece.ts'

const longestWaitMs = 55_000
const mostReplies = 100
const mostTextBytes = 64 * 1024

export default implement(messages, {
  'messages.list': ({ db, caller }, { workspaceId, ...query }) => pageOfMessages(db, query, workspaceId, caller),

  'messages.get': ({ db, caller }, { workspaceId, id }) => found(store.find(db, workspaceId, id, caller), 'message'),

  'messages.search': async ({ db, caller, now }, { workspaceId, ...query }) => {
    return { items: await searchMessages(db, caller, workspaceId, query, now()) }
  },

  'messages.post': staged(
    async () => null,
    async (ctx, input) => {
      const { db, caller, now, note } = ctx
      const { workspaceId, threadId, status = 'complete', usage, run = 'none' } = input
      const parts = partsOf(input)
      checkParts(parts)
      const role = roleOf(caller, input.role)
      if (status === 'streaming' && !caller.run) throw forbidden('Only a run streams what it writes.')
      await enter(db, caller, workspaceId)
      const thread = await threads.lock(db, workspaceId, threadId, caller)
      if (!thread) throw forbidden('There is no such thread, or you may not see it.', { reason: 'thread' })
      refuseForeignWriter(caller, threadId, 'messages:write')
      refuseArchived(thread)
      await checkCitations(db, caller, workspaceId, thread, parts)
      refuseStrayResults(parts, await store.callsIn(db, threadId, resultsIn(parts)))
      const { parts: whole, ids: fileIds } = await files.fill(db, { workspaceId, ownerId: caller.ownerId }, parts)
      const text = textOf(parts)
      const made = {
        id: newId(MessageId),
        workspaceId,
        threadId,
        role,
        status,
        parts: whole,
        title: titleOf(text),
        text,
        usage: usage ?? null,
        author: store.authorOf(caller),
      }
      const name = thread.isNamed || text === '' ? null : nameFrom(text)
      const posted = await store.append(db, made, name, now())
      await files.hold(db, posted.id, fileIds)
      if (usage) await threads.addUsage(db, threadId, usage.in, usage.out)
      note({ after: toldOf(posted) })
      if (caller.callerKind === null) await answerAsked(ctx, thread, text)
      const started = run === 'none' ? null : await startRun(ctx, thread, { instructions: text || null })
      const answer: Posted = { ...posted, run: started, replies: [] }
      return started ? answering(202, answer) : answer
    },
    async (ctx, { workspaceId, threadId, run }, kept) => {
      const posted = answerOf(kept).result as Posted
      if (run !== 'wait' || !posted.run) return kept
      const last = await awaitEnd(ctx, workspaceId, posted.run.id, longestWaitMs)
      if (!last) return { ...posted, run: null }
      // Looked at anew: it may be hidden from the caller by now.
      const isSeen = await threads.find(ctx.db, workspaceId, threadId, ctx.caller)
      const replies = isSeen ? await store.after(ctx.db, threadId, posted.seq, mostReplies, ctx.caller) : []
      const answer: Posted = { ...posted, run: last, replies }
      return runMoves.from(last.status).length === 0 ? answer : answering(202, answer)
    },
  ),

  'messages.patch': staged(
    async ({ feed }) => feed,
    async (ctx, { workspaceId, id, ...fields }, liveFeed) => {
      const { db, caller, now, note } = ctx
      await enter(db, caller, workspaceId)
      const known = await found(store.find(db, workspaceId, id, caller), 'message')
      const thread = await found(threads.lock(db, workspaceId, known.threadId, caller), 'message')
      // Read again under the lock of the thread: what was read before may have grown.
      const before = await found(store.find(db, workspaceId, id, caller), 'message')
      if (Object.values(fields).every(value => value === undefined)) {
        note({ unchanged: true })
        return before
      }
      const isStreamed = before.status === 'streaming'
      if (isStreamed) refuseOtherRun(caller, before)
      else refuseEdit(caller, before, thread.lastSeq, fields)
      refuseArchived(thread)
      const given = changedParts(before.parts, fields)
      checkParts(given)
      const { parts, ids: fileIds } = await files.fill(db, { workspaceId, ownerId: caller.ownerId }, given, id)
      await checkCitations(db, caller, workspaceId, thread, parts)
      refuseStrayResults(parts, await store.callsIn(db, before.threadId, resultsIn(parts)))
      const text = textOf(parts)
      const status = fields.status ?? before.status
      const usage = fields.usage ?? before.usage
      const change = { parts, title: titleOf(text), text, status, usage, editedAt: isStreamed ? null : now() }
      const after = await store.update(db, id, change, now(), caller)
      if (status !== 'streaming') await files.dropOthers(db, id, fileIds)
      await files.hold(db, id, fileIds)
      const isNaming = thread.namingSeq === before.seq && nameFrom(text) !== nameFrom(before.text)
      if (isNaming) await threads.rename(db, thread.id, nameFrom(text), before.seq)
      if (fields.usage) await threads.addUsage(db, before.threadId, fields.usage.in, fields.usage.out)
      if (isStreamed) {
        const growth: Growth = { messageId: id, threadId: before.threadId, workspaceId, status, text }
        tellGrowth({ inTransaction: ctx.feed, live: liveFeed }, growth, now())
        // What grows is told as it grows; that it is whole is a change.
        if (status === 'streaming') note({ unchanged: true })
      }
      note({ before: toldOf(before), after: toldOf(after) })
      return after
    },
  ),

  'messages.del': async ({ db, caller, access, now, note }, { workspaceId, id }) => {
    await enter(db, caller, workspaceId)
    const known = await found(store.find(db, workspaceId, id, caller), 'message')
    const reach = reachOf(access, caller)
    if (reach !== null && known.author.id !== reach) throw notFound('message')
    const thread = await found(threads.lock(db, workspaceId, known.threadId, caller), 'message')
    refuseForeignWriter(caller, known.threadId, 'messages:delete')
    if (known.status === 'redacted') note({ unchanged: true })
    else note({ before: toldOf(known) })
    await store.redact(db, id, now())
    await files.dropOthers(db, id, [])
    if (thread.namingSeq === known.seq) await threads.rename(db, thread.id, unnamed[thread.type], null)
    return { workspaceId, id, _object: 'message' as const }
  },

  'messages.files.post': async ({ db, caller, now, note }, { workspaceId, name, mimeType, content }) => {
    await enter(db, caller, workspaceId)
    const owner = { workspaceId, ownerId: caller.ownerId }
    if (/^\.+$/.test(name)) throw badRequest('"name" must name a file, such as trace.log.')
    await files.refuseHoarding(db, owner)
    const blob = await keepBlob(db, workspaceId, content.bytes)
    const file = { id: newId(FileId), name, mimeType: mimeType ?? 'application/octet-stream', ...blob }
    const added = await files.add(db, owner, file, now())
    note({ after: { id: added.id, size: added.size } })
    return added
  },

  // As a download and never as a page of this site, whatever its uploader called it.
  'messages.files.get': async ({ db, caller }, { workspaceId, id }) => {
    const file = await found(files.find(db, workspaceId, id, caller), 'file')
    return {
      contentType: 'application/octet-stream',
      fileName: file.name,
      headers: { 'content-length': String(file.size) },
      chunks: readBlob(db, workspaceId, file),
    }
  },

  'messages.files.read': async ({ db, caller }, { workspaceId, id, offset = 0 }) => {
    const file = await found(files.find(db, workspaceId, id, caller), 'file')
    const bytes = await readPart(db, workspaceId, file, offset, mostTextBytes)
    return { ...file, ...textPiece(bytes, offset, file.size) }
  },
})

type Posted = store.MessageRow & { run: RunRow | null; replies: store.MessageRow[] }

type Given = { parts?: readonly Part[]; text?: string }

function partsOf({ parts, text }: Given): readonly Part[] {
  if (parts !== undefined && text !== undefined) throw badRequest('Send either "parts" or "text", not both.')
  if (parts !== undefined) return parts
  if (text !== undefined) return [{ type: 'text', markdown: text }]
  throw badRequest('A message needs "parts" or "text".', [
    { path: 'parts', rule: 'required', expected: 'parts or text' },
  ])
}

function changedParts(before: readonly Part[], { append, ...given }: Given & { append?: string }): readonly Part[] {
  const parts = given.parts === undefined && given.text === undefined ? before : partsOf(given)
  if (append === undefined) return parts
  const last = parts.at(-1)
  if (last?.type !== 'text') return [...parts, { type: 'text', markdown: append }]
  return [...parts.slice(0, -1), { ...last, markdown: `${last.markdown ?? ''}${append}` }]
}

function nameFrom(text: string): string {
  return titleOf(text).padEnd(4, '.')
}

type Role = store.MessageRow['role']

/** Nobody speaks in another's name: people do not answer for an agent, nor an agent for people. */
function roleOf(caller: Caller, role: Role | undefined): Role {
  const isAgent = caller.callerKind !== null
  const usual = isAgent ? 'assistant' : 'user'
  const own: readonly Role[] = isAgent ? ['assistant', 'tool'] : ['user', 'system']
  if (role === undefined) return usual
  if (!own.includes(role)) throw forbidden(`You write as ${own.join(' or ')}, not as ${role}.`, { reason: 'role' })
  return role
}

function refuseOtherRun(caller: Caller, { author }: store.MessageRow): void {
  if (caller.run && author.credentialId === caller.run.id) return
  throw forbidden('The message is being written by a run; only that run can go on with it.', { reason: 'thread' })
}

function refuseEdit(caller: Caller, before: store.MessageRow, lastSeq: number, fields: object): void {
  if (before.status === 'redacted') throw conflict('The message was deleted.', { state: before.status })
  const isOwn = before.role !== 'assistant' && before.role !== 'tool' && before.author.id === caller.ownerId
  if (caller.callerKind !== null) {
    throw forbidden('An agent changes only what it streams; write another message.', { reason: 'thread' })
  }
  if (!isOwn) throw forbidden('Only its author changes a message.', { reason: 'author' })
  if (lastSeq > before.seq) throw conflict('Somebody has answered; write another message.', { state: 'answered' })
  const { append, status } = fields as { append?: string; status?: string }
  if (append !== undefined || status !== undefined) {
    throw badRequest('"append" and "status" are for what a run streams; send "text" or "parts".')
  }
}

/** The ledger keeps that there is a message, and no word of it: what is deleted must be gone. */
function toldOf({ id, threadId, seq, role, status, editedAt }: store.MessageRow): object {
  return { id, threadId, seq, role, status, editedAt }
}
