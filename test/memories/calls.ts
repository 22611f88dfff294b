// The rows of inputs of memories.
import type { memories } from '../../src/areas/memories/contract.ts'
import type { CallRow, World } from '../calls.ts'
import type { TestCaller } from '../helpers/platform.ts'

let count = 0
const inWorkspace = ({ workspaceId }: World) => ({ workspaceId })
const text = () => ({ title: `The pool holds ${count++}`, markdown: 'More at once **wait**.' })

async function memoryIn({ p, workspaceId }: World, caller: TestCaller): Promise<{ workspaceId: string; id: string }> {
  const { result } = await p.call('memories.post', { workspaceId, ...text() }, caller)
  return { workspaceId, id: result.id }
}

export const calls: Readonly<Record<keyof typeof memories.operations, CallRow>> = {
  'memories.list': { input: inWorkspace },
  'memories.get': { input: memoryIn },
  'memories.search': { input: w => ({ ...inWorkspace(w), q: 'pool' }) },
  'memories.versions.list': { input: memoryIn },
  'memories.versions.revert': {
    input: async (w, caller) => {
      const memory = await memoryIn(w, caller)
      await w.p.call('memories.patch', { ...memory, markdown: `More wait ${count++}.` }, caller)
      return { ...memory, version: '1' }
    },
  },
  'memories.post': { input: w => ({ ...inWorkspace(w), ...text() }) },
  'memories.patch': {
    input: async (w, caller) => ({ ...(await memoryIn(w, caller)), markdown: `Others wait ${count++}.` }),
    entangled: async w => ({ supersededById: (await memoryIn(w, w.owner)).id, pinned: true }),
  },
  'memories.del': { input: memoryIn },
}
