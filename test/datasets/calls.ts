// A good call for every operation on datasets.
import type { CallRow, World } from '../calls.ts'
import type { TestCaller } from '../helpers/platform.ts'

let count = 0

export async function datasetIn({ p, workspaceId }: World, caller: TestCaller, kind = 'logs') {
  const { result } = await p.call('datasets.post', { workspaceId, slug: `dataset-${count++}`, kind }, caller)
  return { workspaceId, id: result.id as string }
}

const traceId = '5b8efff798038103d269b633813fc60c'

const content = (rows: readonly object[]) => ({
  content: { kind: 'json', bytes: new TextEncoder().encode(JSON.stringify(rows)) },
})

async function traced(w: World, caller: TestCaller) {
  const dataset = await datasetIn(w, caller, 'traces')
  const row = { traceId, spanId: 'eee19b7ec3c1b174', name: 'GET /', service: 'web', durationMs: 3, status: 'ok' }
  await w.p.call('datasets.rows.post', { ...dataset, ...content([row]) }, caller)
  return { ...dataset, traceId }
}

const span = ({ p }: World) => ({
  from: new Date(p.now().getTime() - 3_600_000).toISOString(),
  to: new Date(p.now().getTime() + 60_000).toISOString(),
})

const existing = { input: (w: World, caller: TestCaller) => datasetIn(w, caller) }

export const calls = {
  'datasets.list': { input: ({ workspaceId }) => ({ workspaceId }) },
  'datasets.get': existing,
  'datasets.fields': existing,
  'datasets.post': { input: ({ workspaceId }) => ({ workspaceId, slug: `made-${count++}`, kind: 'metrics' }) },
  'datasets.patch': { input: async (w, caller) => ({ ...(await datasetIn(w, caller)), retentionDays: 7 }) },
  'datasets.del': existing,
  'datasets.rows.list': existing,
  'datasets.rows.post': {
    input: async (w, caller) => ({
      ...(await datasetIn(w, caller)),
      ...content([{ severity: 'info', body: 'ready' }]),
    }),
  },
  'datasets.export': existing,
  'datasets.tail': existing,
  'datasets.purge': {
    input: async (w, caller) => ({ ...(await datasetIn(w, caller)), before: w.p.now().toISOString() }),
  },
  'datasets.query': { input: async (w, caller) => ({ ...(await datasetIn(w, caller)), ...span(w) }) },
  'datasets.traces.get': { input: traced },
  'datasets.detection.test': existing,
} satisfies Record<string, CallRow>
