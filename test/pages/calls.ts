// The rows of inputs of pages.
import type { pages } from '../../src/areas/pages/contract.ts'
import type { CallRow, World } from '../calls.ts'
import type { TestCaller } from '../helpers/platform.ts'

let count = 0
const inWorkspace = ({ workspaceId }: World) => ({ workspaceId })

async function pageIn({ p, workspaceId }: World, caller: TestCaller): Promise<{ workspaceId: string; id: string }> {
  const issue = await p.call('issues.post', { workspaceId, title: `Published ${count++}` }, caller)
  const input = { workspaceId, id: issue.result.id, visibility: 'link' }
  const { result } = await p.call('issues.publish', input, caller)
  return { workspaceId, id: result.id }
}

export const calls: Readonly<Record<keyof typeof pages.operations, CallRow>> = {
  'pages.list': { input: inWorkspace },
  'pages.get': { input: pageIn },
  'pages.content': { input: pageIn },
  'pages.public': { input: async (w, caller) => ({ id: (await pageIn(w, caller)).id }) },
  'pages.del': { input: pageIn },
}
