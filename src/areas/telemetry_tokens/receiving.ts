// A batch of telemetry on its way in: decoded, held against the limits of its token, written, and counted.
import type { Content } from '../../contract/content.ts'
import { ApiError, badRequest, forbidden, slowDown } from '../../contract/errors.ts'
import type { Signal } from '../../contract/operation.ts'
import type { BeforeContext, Caller, CallerSender, Context } from '../../kit/context.ts'
import { nanosOf } from '../../kit/nanoseconds.ts'
import { isBeyond } from '../../kit/plans.ts'
import { appendRows, findTarget, type Target } from '../datasets/rows/writing.ts'
import { findLimits } from '../workspaces/limits/store.ts'
import { type Decoded, decode, Undecodable } from './otlp/decode.ts'
import { bytesSince, count, dayMs, reserveBytes } from './usage/store.ts'

type Receiving = Omit<Context, 'caller' | 'access'> & { caller: Caller } & BeforeContext

/** What was not taken of a batch that is good otherwise; null where all was. */
type Refused = { count: string; why: string } | null

/** So far, for the count: what is reserved is given back where the batch fails after all. */
type Progress = { items: number; reserved: number }

/** `before` of the three doors: rows are written by whole batches of many senders, so no transaction waits for them. */
export function receive(signal: Signal) {
  return async (ctx: Receiving, { content }: { content: Content }): Promise<Refused> => {
    const progress: Progress = { items: 0, reserved: 0 }
    try {
      return await takeBatch(ctx, signal, content, progress)
    } catch (error) {
      const message = error instanceof ApiError ? error.detail : 'Something went wrong on our side.'
      await tally(ctx, signal, { bytes: -progress.reserved, taken: 0, accepted: 0, rejected: progress.items, message })
      throw error
    }
  }
}

async function takeBatch(ctx: Receiving, signal: Signal, content: Content, progress: Progress): Promise<Refused> {
  const { sender, boundTo } = ctx.caller
  if (!sender || boundTo === null) throw new Error('only a telemetry token comes here')
  const datasetId = sender.routes[signal]
  if (datasetId === null) throw notRouted(signal)
  const { rows, rejected, why } = decoded(ctx, signal, content, sender)
  progress.items = rows.length + rejected
  const target = await findTarget(ctx.db, boundTo, datasetId)
  if (!target) throw notRouted(signal)
  refuseClosed(target)
  const bytes = content.bytes.length
  await refuseBeyondMonth(ctx, boundTo, bytes)
  await refuseOverItems(ctx, sender, rows.length)
  if (sender.bytesPerDay !== null) {
    await refuseOverBytes(ctx, sender.bytesPerDay, bytes)
    progress.reserved = bytes
  }
  const written = rows.length > 0 ? await appendRows(ctx, target, rows) : nothing
  const refused = rejected + written.rejected.length
  const message = refused > 0 ? (why ?? written.rejected[0]?.why ?? '') : null
  await tally(ctx, signal, {
    bytes: bytes - progress.reserved,
    taken: bytes,
    accepted: written.written,
    rejected: refused,
    message,
  })
  return message === null ? null : { count: String(refused), why: message }
}

const nothing = { written: 0, rejected: [] }

function notRouted(signal: Signal): ApiError {
  return forbidden(`This token takes no ${signal}: give it a dataset for them in routes.${signal}.`)
}

function decoded({ now }: Receiving, signal: Signal, content: Content, { resourceDefaults }: CallerSender): Decoded {
  const encoding = content.kind === 'protobuf' ? 'protobuf' : 'json'
  try {
    return decode(signal, encoding, content.bytes, { resourceDefaults, now: nanosOf(now()) })
  } catch (error) {
    if (error instanceof Undecodable) throw badRequest(error.message)
    throw error
  }
}

const fullSeconds = 3_600

/** Senders do not know 402: they are told to come back. */
function refuseClosed({ datasetId, status }: Target): void {
  if (status === 'paused') throw forbidden(`The dataset ${datasetId} is paused: set its status to active.`)
  if (status === 'full') throw slowDown(`The dataset ${datasetId} is full: nothing more is taken now.`, fullSeconds)
}

/** What can never fit is not to be sent again as it is. */
function neverFits(detail: string): ApiError {
  return new ApiError('payload_too_large', detail)
}

/** The plan of the workspace. Counted without a lock: a few batches at once may go beyond it, none after them does. */
async function refuseBeyondMonth({ db, settings, now }: Receiving, workspaceId: string, bytes: number): Promise<void> {
  const { telemetryBytesPerMonth: limit } = await findLimits(db, settings.billing, workspaceId)
  if (limit < 0) return
  const [year, month] = [now().getUTCFullYear(), now().getUTCMonth()]
  const used = await bytesSince(db, workspaceId, new Date(Date.UTC(year, month, 1)))
  if (!isBeyond(limit, used + bytes)) return
  const untilNext = Math.ceil((Date.UTC(year, month + 1, 1) - now().getTime()) / 1000)
  throw slowDown(`The plan of the workspace has ${limit} bytes of telemetry in a month, and they are used.`, untilNext)
}

async function refuseOverItems({ caller, take }: Receiving, { itemsPerMinute }: CallerSender, items: number) {
  if (itemsPerMinute === null || items === 0) return
  if (items > itemsPerMinute) {
    throw neverFits(
      `The token takes ${itemsPerMinute} items a minute: send batches of at most ${itemsPerMinute} items.`,
    )
  }
  if (await take(`telemetry:${caller.credentialId}`, itemsPerMinute, items)) return
  throw slowDown(`Over ${itemsPerMinute} items in a minute, which is the limit of the token.`)
}

async function refuseOverBytes({ db, caller, now }: Receiving, limit: number, bytes: number): Promise<void> {
  if (bytes > limit) throw neverFits(`The token takes ${limit} bytes a day: send batches of at most ${limit} bytes.`)
  if (await reserveBytes(db, caller.credentialId, bytes, limit, now())) return
  const untilMidnight = Math.ceil((dayMs - (now().getTime() % dayMs)) / 1000)
  throw slowDown(`Over ${limit} bytes today, which is the limit of the token.`, untilMidnight)
}

type Tally = { bytes: number; taken: number; accepted: number; rejected: number; message: string | null }

const longestMessage = 500

/** What is written stays written, and what is refused stays refused, also where it cannot be counted. */
async function tally({ db, caller, now, log }: Receiving, signal: Signal, { message, ...use }: Tally): Promise<void> {
  const error = message?.slice(0, longestMessage) ?? null
  const datasetId = caller.sender?.routes[signal] ?? null
  await count(db, caller.credentialId, { signal, datasetId, ...use, error }, now()).catch(failure =>
    log.warn({ err: failure, tokenId: caller.credentialId }, 'the use of a telemetry token could not be counted'),
  )
}
