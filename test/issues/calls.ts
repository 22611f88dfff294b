// The rows of inputs of issues.
import type { issues } from '../../src/areas/issues/contract.ts'
import type { CallRow, World } from '../calls.ts'
import type { TestCaller } from '../helpers/platform.ts'

let count = 0
const inWorkspace = ({ workspaceId }: World) => ({ workspaceId })

async function issueIn({ p, workspaceId }: World, caller: TestCaller): Promise<{ workspaceId: string; id: string }> {
  const { result } = await p.call('issues.post', { workspaceId, title: `Checkout fails ${count++}` }, caller)
  return { workspaceId, id: result.id }
}

async function mergedIn(w: World, caller: TestCaller) {
  const [issue, into] = [await issueIn(w, caller), await issueIn(w, caller)]
  await w.p.call('issues.merge', { ...issue, intoId: into.id }, caller)
  return issue
}

async function noteIn(w: World, caller: TestCaller) {
  const issue = await issueIn(w, caller)
  const { result } = await w.p.call('issues.notes.post', { ...issue, text: 'It was the pool.' }, caller)
  return { ...issue, noteId: result.id }
}

const rule = { name: 'Checkout', when: 'alert.fields["service"] == "checkout"', actions: { severity: 'high' } }

async function ruleIn({ p, workspaceId }: World, caller: TestCaller): Promise<{ workspaceId: string; id: string }> {
  const { result } = await p.call('issues.rules.post', { workspaceId, ...rule }, caller)
  return { workspaceId, id: result.id }
}

const alerts = () => [
  { title: 'Checkout answers 502', fingerprint: `call|${count++}`, fields: { service: 'checkout' } },
]

export const calls: Readonly<Record<keyof typeof issues.operations, CallRow>> = {
  'issues.list': { input: inWorkspace },
  'issues.get': { input: issueIn },
  'issues.search': { input: w => ({ ...inWorkspace(w), q: 'checkout' }) },
  'issues.similar': { input: issueIn },
  'issues.post': {
    input: w => ({ ...inWorkspace(w), title: `Checkout fails ${count++}` }),
    entangled: async w => ({ assigneeId: w.viewer.userId }),
  },
  'issues.patch': {
    input: async (w, caller) => ({ ...(await issueIn(w, caller)), severity: 'high' }),
    entangled: async w => ({ assigneeId: w.viewer.userId, status: 'open' }),
  },
  'issues.investigate': { input: issueIn },
  'issues.merge': {
    input: async (w, caller) => ({ ...(await issueIn(w, caller)), intoId: (await issueIn(w, caller)).id }),
  },
  'issues.split': { input: mergedIn },
  'issues.publish': { input: issueIn },
  'issues.del': { input: issueIn },
  'issues.timeline.list': { input: issueIn },
  'issues.occurrences.list': { input: issueIn },
  'issues.notes.post': {
    input: async (w, caller) => ({ ...(await issueIn(w, caller)), text: 'It was the pool.' }),
    entangled: async () => ({ milestone: 'resolved' }),
  },
  'issues.notes.patch': { input: async (w, caller) => ({ ...(await noteIn(w, caller)), text: 'It was not.' }) },
  'issues.notes.del': { input: noteIn },
  'issues.alerts.post': {
    input: w => ({ ...inWorkspace(w), alerts: alerts() }),
    entangled: async () => ({ alerts: [...alerts(), { title: 'Always the same', fingerprint: 'call' }] }),
  },
  'issues.alerts.list': { input: issueIn },
  'issues.rules.list': { input: inWorkspace },
  'issues.rules.get': { input: ruleIn },
  'issues.rules.post': { input: w => ({ ...inWorkspace(w), ...rule }) },
  'issues.rules.patch': {
    input: async (w, caller) => ({ ...(await ruleIn(w, caller)), enabled: false }),
    entangled: async w => ({ position: 1, actions: { assigneeId: w.viewer.userId } }),
  },
  'issues.rules.test': { input: async (w, caller) => ({ ...inWorkspace(w), ruleId: (await ruleIn(w, caller)).id }) },
  'issues.rules.del': { input: ruleIn },
}
