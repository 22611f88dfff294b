// Renders reports in a thread of their own: there is Markdown that takes a minute, and nobody else is to wait for it.
import { Worker } from 'node:worker_threads'
import { ApiError, conflict } from '../contract/errors.ts'
import type { Rendered, Report, Setting } from './report.ts'

const ending = import.meta.filename.endsWith('.ts') ? 'ts' : 'js'
const longestMs = 10_000
const mostBytes = 5 * 1024 * 1024
const mostAtOnce = 2
const mostWaiting = 20

let busy = 0
const waiting: (() => void)[] = []

/** Never in a transaction. 409 where it takes too long, 413 where the page would be too large. */
export async function renderApart(report: Report, setting: Setting, mostMs = longestMs): Promise<Rendered> {
  await turn()
  try {
    const rendered = await renderIn({ report, setting }, mostMs)
    if (rendered.bytes <= mostBytes) return rendered
    throw new ApiError('payload_too_large', 'The page would have more than 5 MiB; shorten its source.')
  } finally {
    busy--
    waiting.shift()?.()
  }
}

async function turn(): Promise<void> {
  if (waiting.length >= mostWaiting) throw new ApiError('unavailable', 'Many pages are being rendered; try again soon.')
  if (busy >= mostAtOnce) await new Promise<void>(resolve => waiting.push(resolve))
  busy++
}

function renderIn(workerData: { report: Report; setting: Setting }, mostMs: number): Promise<Rendered> {
  const worker = new Worker(new URL(`./report_thread.${ending}`, import.meta.url), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  })
  return new Promise<Rendered>((resolve, reject) => {
    const late = setTimeout(() => {
      reject(conflict('Its formatting takes too long to render; make it simpler.', { state: 'too_complex' }))
    }, mostMs)
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error('the thread that renders ended')))
    worker.once('exit', () => clearTimeout(late))
  }).finally(() => void worker.terminate())
}
