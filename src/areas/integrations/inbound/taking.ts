// What a payload comes to: alerts that are counted on issues, issues that are over, or news of a git host.
import { ApiError } from '../../../contract/errors.ts'
import { Outdated } from '../../../kit/implement.ts'
import type { JobContext } from '../../../kit/jobs.ts'
import { notify } from '../../../kit/notify.ts'
import type { Alert } from '../../issues/alerts/contract.ts'
import { judgeAll, newsOf, receive } from '../../issues/alerts/receiving.ts'
import { resolveByFingerprint } from '../../issues/alerts/resolving.ts'
import { keepAlive } from '../../workspaces/store.ts'
import { isBelow } from '../hosts/credentials.ts'
import * as integrations from '../store.ts'
import { readHostEvent } from './hosts/reading.ts'
import { type Mapped, mapPayload } from './mapping/mapping.ts'
import { type Received, readPayload } from './payloads.ts'
import { takeInteraction } from './slack.ts'
import * as store from './store.ts'

const mostTries = 10

/** Nobody's: issues of payloads belong to the platform, not to whoever set the integration up. */
const sender = { ownerId: 'system', credential: 'key' } as const

export async function take(ctx: JobContext, id: string): Promise<void> {
  const kept = await store.waiting(ctx.db, id)
  const connection = kept && (await integrations.connection(ctx.db, kept.workspaceId, kept.integrationId))
  if (!kept || !connection) return
  switch (connection.type) {
    case 'slack':
      return await takeInteraction(ctx, connection, kept)
    case 'github':
    case 'gitlab':
    case 'gitea':
      return await takeHostEvent(ctx, connection, kept)
    default:
      return await takeMapped(ctx, connection, kept, mappedAs(connection.config, kept, ctx.now()))
  }
}

function receivedOf({ headers, body }: Pick<store.Kept, 'headers' | 'body'>): Received {
  return { headers, contentType: headers['content-type'] ?? '', bytes: Buffer.from(body) }
}

type Config = Readonly<Record<string, unknown>>

export function mappedAs(config: Config, kept: Pick<store.Kept, 'headers' | 'body'>, now: Date): Mapped {
  const received = receivedOf(kept)
  const read = readPayload(received)
  if ('reason' in read) return read
  const { format = 'generic', mapping } = config as { format?: Parameters<typeof mapPayload>[0]; mapping?: object }
  return mapPayload(format, mapping as Parameters<typeof mapPayload>[1], received, read.payload, now)
}

async function takeMapped(
  ctx: JobContext,
  { config }: integrations.Connection,
  kept: Waiting,
  mapped: Mapped,
): Promise<void> {
  if ('reason' in mapped) return void (await settle(ctx, kept, 'unmapped', mapped.reason))
  const resolved = config.resolves === true ? mapped.resolved : []
  if (mapped.alerts.length === 0 && resolved.length === 0) {
    const isOver = mapped.resolved.length > 0
    const why = isOver ? 'It says that something is over, which this integration does not act on.' : mapped.why
    return void (await settle(ctx, kept, 'ignored', why ?? 'It holds no alert.'))
  }
  await count(ctx, kept, mapped.alerts, resolved)
}

type Waiting = NonNullable<Awaited<ReturnType<typeof store.waiting>>>

async function settle(
  ctx: JobContext,
  { id }: Waiting,
  outcome: store.Outcome,
  reason: string | null,
): Promise<boolean> {
  return await store.settle(ctx.db, id, { outcome, reason, alerts: 0 })
}

/** Counted in the transaction that says so of the payload: never twice, whatever ends in between. */
async function count(
  ctx: JobContext,
  kept: Waiting,
  alerts: readonly Alert[],
  resolved: readonly string[],
): Promise<void> {
  const { workspaceId, integrationId } = kept
  for (let tries = 1; ; tries++) {
    try {
      const judged = await judgeAll(ctx.db, workspaceId, alerts, ctx.now())
      const assigned = await ctx.transaction(async tx => {
        await keepAlive(tx, workspaceId)
        const counted = { outcome: 'taken' as const, reason: null, alerts: alerts.length }
        if (!(await store.settle(tx, kept.id, counted))) return []
        const received =
          alerts.length > 0
            ? await receive({ db: tx, caller: sender }, workspaceId, judged)
            : { items: [], raised: [], assigned: [] }
        const moved = await resolveByFingerprint(tx, workspaceId, resolved, ctx.now())
        const news = newsOf(received)
        const target = { object: 'integration', id: integrationId }
        const over = moved.map(({ before, after }) => {
          return { action: 'issues.patch', target: { object: 'issue', id: before.id }, before, after }
        })
        if (over.length > 0 || news.length > 0) {
          const told = [{ action: 'integrations.received', target }, ...news, ...over]
          await ctx.record(
            tx,
            told.map(one => ({ chain: workspaceId, ...one })),
          )
        }
        return received.assigned
      })
      for (const { issueId, assigneeId } of assigned) {
        const target = { object: 'issue', id: issueId }
        await notify(ctx, { type: 'issues.assigned', to: assigneeId, workspaceId, target, once: issueId })
      }
      return
    } catch (error) {
      if (error instanceof Outdated && tries < mostTries) continue
      if (!(error instanceof ApiError) || error.kind !== 'conflict') throw error
      return void (await settle(ctx, kept, 'unmapped', error.detail))
    }
  }
}

/** Repositories and autofixes act on it by jobs of their own: here it is only read. */
async function takeHostEvent(ctx: JobContext, connection: integrations.Connection, kept: Waiting): Promise<void> {
  const { type, config, workspaceId } = connection
  const received = receivedOf(kept)
  const read = readPayload(received)
  if ('reason' in read) return void (await settle(ctx, kept, 'unmapped', read.reason))
  const event = readHostEvent(type as 'github', received, read.payload, ctx.now())
  switch (event.kind) {
    case 'ignored':
      return void (await settle(ctx, kept, 'ignored', event.why))
    case 'issue':
      if (config.issues !== true)
        return void (await settle(ctx, kept, 'ignored', 'Issues of the host are not switched on.'))
      return await count(
        ctx,
        kept,
        event.isClosed ? [] : [event.alert],
        event.isClosed ? [event.alert.fingerprint ?? ''] : [],
      )
    case 'push':
      if (config.syncs === false) return void (await settle(ctx, kept, 'ignored', 'Syncing on pushes is switched off.'))
      await ctx.enqueue('repositories.pushed', { workspaceId, urls: event.urls })
      return void (await settle(ctx, kept, 'taken', null))
    case 'pull_request': {
      const { state, url, mergeSha } = event
      if (!isBelow(connection, url)) {
        return void (await settle(ctx, kept, 'ignored', 'The pull request is of another host than the integration.'))
      }
      await ctx.enqueue('autofixes.pullRequest', { workspaceId, url, state, mergeSha })
      return void (await settle(ctx, kept, 'taken', null))
    }
  }
}
