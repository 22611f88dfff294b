// Findings that are frequent enough become alerts, and go away in the transaction that counts them on their issues.
import { ApiError } from '../../../contract/errors.ts'
import { Outdated } from '../../../kit/implement.ts'
import type { JobContext } from '../../../kit/jobs.ts'
import { notify } from '../../../kit/notify.ts'
import type { Alert } from '../../issues/alerts/contract.ts'
import { judgeAll, newsOf, receive } from '../../issues/alerts/receiving.ts'
import { countMade, openAmong } from '../../issues/alerts/store.ts'
import { isWorse, type Severity } from '../../issues/fields/contract.ts'
import { keepAlive } from '../../workspaces/store.ts'
import { countsSince } from './deciding.ts'
import { othersOf } from './findings.ts'
import * as store from './store.ts'

const fingerprintsAtOnce = 200
const findingsAtOnce = 2_000
const alertsAtOnce = 100
const mostTries = 10
/** New issues of one dataset in an hour: more is nothing that a person could read. */
const mostIssuesAnHour = 100

/** The platform itself. */
const sender = { ownerId: 'system', credential: 'key' } as const

/** One that fails does not keep the others waiting. */
export async function detectAll(ctx: JobContext): Promise<void> {
  let failure: unknown
  for (const { no } of await ctx.db.query<{ no: number }>(store.waitingDatasets)) {
    await detect(ctx, no).catch(error => {
      failure = error
    })
  }
  if (failure !== undefined) throw failure
}

/** Of one dataset. May run beside itself, and again after a crash: each finding is counted once. */
export async function detect(ctx: JobContext, no: number): Promise<void> {
  const dataset = await store.findDataset(ctx.db, no)
  if (!dataset) return
  const last = await store.lastOf(ctx.db, no)
  let after = ''
  for (;;) {
    const waiting = await store.waitingOf(ctx.db, no, after, fingerprintsAtOnce)
    if (waiting.length === 0) break
    after = waiting.at(-1)?.fingerprint ?? ''
    await countReady(ctx, dataset, await sinceWhen(ctx, dataset, waiting), last)
    if (ctx.signal.aborted) return
  }
  await store.dropOver(ctx.db, no, dataset.issueDetection.thresholds.windowSeconds)
}

/** By fingerprint: from when on they count. Those that wait on have none. */
type Since = Map<string, bigint>

/** On an issue that is open everything counts. */
async function sinceWhen(
  { db, now }: JobContext,
  { workspaceId, id, no, issueDetection }: store.DetectingDataset,
  waiting: readonly store.Waiting[],
): Promise<Since> {
  const open = await openAmong(
    db,
    workspaceId,
    waiting.map(({ fingerprint }) => fingerprint),
  )
  const ready: Since = new Map()
  for (const { fingerprint, times } of waiting) {
    const since = open.has(fingerprint) ? 0n : countsSince(issueDetection.thresholds, times)
    if (since !== null) ready.set(fingerprint, since)
  }
  const others = othersOf(id)
  const fresh = [...ready.keys()].filter(fingerprint => !open.has(fingerprint) && fingerprint !== others)
  if (fresh.length > 0) {
    const hourAgo = new Date(now().getTime() - 3_600_000)
    const made = await countMade(db, workspaceId, `${id}:`, hourAgo)
    const over = fresh.slice(Math.max(0, mostIssuesAnHour - made))
    if (over.length > 0) await store.giveToOthers(db, no, id, over)
    for (const fingerprint of over) ready.delete(fingerprint)
  }
  return ready
}

async function countReady(ctx: JobContext, dataset: store.DetectingDataset, ready: Since, last: string): Promise<void> {
  let tries = 0
  let most = alertsAtOnce
  while (ready.size > 0 && !ctx.signal.aborted) {
    const findings = await store.findingsOf(ctx.db, dataset.no, [...ready.keys()], last, findingsAtOnce)
    if (findings.length === 0) return
    try {
      await countSome(ctx, dataset, findings, ready, most)
      tries = 0
    } catch (error) {
      // The rules of the workspace are too much work for so many at once.
      const isTooMuch = error instanceof ApiError && error.kind === 'conflict' && most > 1
      // Somebody else has counted some of them, or changed an issue at the same moment.
      const isOvertaken = error instanceof Outdated && ++tries < mostTries
      if (!isTooMuch && !isOvertaken) throw error
      if (isTooMuch) most = Math.ceil(most / 10)
    }
  }
}

async function countSome(
  ctx: JobContext,
  dataset: store.DetectingDataset,
  findings: readonly store.KeptFinding[],
  ready: Since,
  most: number,
): Promise<void> {
  const { workspaceId, id, no } = dataset
  const isCounted = ({ fingerprint, first }: store.KeptFinding) => first >= (ready.get(fingerprint) ?? 0n)
  const early = findings.filter(finding => !isCounted(finding))
  const minutes = Map.groupBy(findings.filter(isCounted), one => `${one.first / minuteNs} ${one.fingerprint}`)
  const groups = [...minutes.values()].slice(0, most)
  const alerts = groups.map(group => alertOf(ctx, dataset, group as unknown as Group))
  const now = ctx.now()
  const counted = groups.map(group => ({
    times: group.reduce((sum, { count }) => sum + count, 0),
    last: momentOf(latest(group).last, now),
  }))
  const judged = await judgeAll(ctx.db, workspaceId, alerts, now, counted)
  const taken = [...early, ...groups.flat()].map(finding => finding.id)
  const { assigned } = await ctx.transaction(async tx => {
    await keepAlive(tx, workspaceId)
    if ((await store.takeFindings(tx, no, taken)) < taken.length) throw new Outdated()
    const received = await receive({ db: tx, caller: sender }, workspaceId, judged)
    const news = newsOf(received)
    // Counts are no changes: a ledger of them would be a second dataset.
    const target = { object: 'dataset', id }
    if (news.length > 0) {
      const told = [{ action: 'datasets.detected', target }, ...news]
      await ctx.record(
        tx,
        told.map(one => ({ chain: workspaceId, ...one })),
      )
    }
    return received
  })
  for (const { issueId, assigneeId } of assigned) {
    const target = { object: 'issue', id: issueId }
    await notify(ctx, { type: 'issues.assigned', to: assigneeId, workspaceId, target, once: issueId })
  }
}

const minuteNs = 60_000_000_000n

/** To the millisecond, as issues have it, and not later than now. */
function momentOf(at: bigint, now: Date): string {
  return new Date(Math.min(Number(at / 1_000_000n), now.getTime())).toISOString()
}

function latest(group: readonly store.KeptFinding[]): store.KeptFinding {
  return group.reduce((one, other) => (other.last > one.last ? other : one))
}

function worst(group: readonly store.KeptFinding[]): Severity {
  return group.map(({ severity }) => severity).reduce((one, other) => (isWorse(other, one) ? other : one))
}

type Group = readonly [store.KeptFinding, ...store.KeptFinding[]]

/** All of one fingerprint and one minute, as the last of them tells it. */
function alertOf({ settings, now }: JobContext, dataset: store.DetectingDataset, group: Group): Alert {
  const { fingerprint, title, body, fields, example } = latest(group)
  const page = `${settings.publicUrl}/w/${dataset.workspaceId}/datasets/${dataset.id}`
  const [from, to] = [-1, 1].map(way => new Date(Date.parse(example.at) + way * 60_000).toISOString())
  const among = (filter: string) => `${page}?${new URLSearchParams({ filter, from: from ?? '', to: to ?? '' })}`
  const trace = example.traceId && among(`traceId == "${example.traceId}"`)
  const url = trace || among(`at == timestamp("${example.at}")`)
  const told = [
    body,
    `Found in the dataset [${dataset.slug}](${page}): [row ${example.rowId} at ${example.at}](${url})`,
    ...(trace ? [`Trace: [${example.traceId}](${trace})${example.spanId ? `, span ${example.spanId}` : ''}`] : []),
  ]
  return {
    title,
    fingerprint,
    severity: worst(group),
    body: told.filter(part => part !== '').join('\n\n'),
    resources: fields.service === undefined ? [] : [`service/${fields.service}`.slice(0, 256).toWellFormed()],
    source: { type: 'telemetry', externalId: dataset.id, url: url.slice(0, 2_048) },
    at: momentOf(group[0].first, now()),
    fields: { ...fields, dataset: dataset.slug, ...(example.traceId && { traceId: example.traceId }) },
  }
}
