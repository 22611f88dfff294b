// The rows of inputs of the suite's own area.
import type { CallRow, World } from '../calls.ts'
import type { TestCaller } from '../helpers/platform.ts'
import type { examples } from './areas/examples/contract.ts'

let count = 0

async function exampleIn({ p, workspaceId }: World, caller: TestCaller): Promise<{ workspaceId: string; id: string }> {
  const input = { workspaceId, name: `Example ${count++}` }
  const { result } = await p.call('examples.post', input, caller)
  return { workspaceId, id: result.id }
}

const inWorkspace = ({ workspaceId }: World) => ({ workspaceId })

export const calls: Readonly<Record<keyof typeof examples.operations, CallRow>> = {
  'examples.list': { input: inWorkspace },
  'examples.get': { input: exampleIn },
  'examples.post': { input: w => ({ ...inWorkspace(w), name: `Another ${count++}` }) },
  'examples.patch': { input: async (w, caller) => ({ ...(await exampleIn(w, caller)), text: 'Changed' }) },
  'examples.del': { input: exampleIn },
  'examples.import': {
    input: w => ({
      ...inWorkspace(w),
      group: 'imported',
      content: { kind: 'ndjson', bytes: Buffer.from(`{"name": "Line ${count++}"}\n{"name": "Line ${count++}"}\n`) },
    }),
  },
  'examples.measure': {
    input: w => ({ ...inWorkspace(w), content: { kind: 'zip', bytes: Buffer.from('PK\x05\x06') } }),
  },
  'examples.links.list': { input: exampleIn },
  'examples.links.post': {
    input: async (w, caller) => ({
      ...(await exampleIn(w, caller)),
      about: { object: 'workspace_member', id: w.viewer.userId },
    }),
    gives: ['workspace_members:read'],
  },
}
