// The rows of inputs of repositories.
import type { repositories } from '../../src/areas/repositories/contract.ts'
import type { CallRow, World } from '../calls.ts'
import type { TestCaller } from '../helpers/platform.ts'
import { anotherName, mirrored } from '../helpers/repositories.ts'

let count = 0
const inWorkspace = ({ workspaceId }: World) => ({ workspaceId })
/** There is no such host, and never will be. */
const newAddress = () => ({ url: `https://code.invalid/team/code-${count++}.git` })

type Named = { workspaceId: string; id: string }

/** Disabled, so that nothing goes on behind the tests. */
async function repositoryIn({ p, workspaceId }: World, caller: TestCaller): Promise<Named> {
  const fields = { workspaceId, provider: 'git', enabled: false, ...newAddress() }
  const { result } = await p.call('repositories.post', fields, caller)
  return { workspaceId, id: result.id }
}

/** One of its own, since only one sync of a repository goes on at a time; it finds nothing new. */
async function syncedIn({ p, workspaceId, owner }: World): Promise<Named> {
  return { workspaceId, id: await mirrored(p, { ...owner, workspaceId }, anotherName()) }
}

const known = new WeakMap<object, Map<string, Promise<Named>>>()

/** One for each workspace: its mirror is made once, and readings change nothing. */
export function mirroredIn(w: World): Promise<Named> {
  const ofPlatform = known.get(w.p) ?? new Map<string, Promise<Named>>()
  known.set(w.p, ofPlatform)
  const made = ofPlatform.get(w.workspaceId) ?? mirror(w)
  ofPlatform.set(w.workspaceId, made)
  return made
}

async function mirror({ p, workspaceId, owner }: World): Promise<Named> {
  return { workspaceId, id: await mirrored(p, { ...owner, workspaceId }, 'small') }
}

export const calls: Readonly<Record<keyof typeof repositories.operations, CallRow>> = {
  'repositories.list': { input: inWorkspace },
  'repositories.get': { input: repositoryIn },
  'repositories.post': { input: w => ({ ...inWorkspace(w), ...newAddress(), enabled: false }) },
  'repositories.patch': {
    input: async (w, caller) => ({ ...(await repositoryIn(w, caller)), name: `Code ${count++}` }),
  },
  'repositories.sync': { input: syncedIn },
  'repositories.del': { input: repositoryIn },
  'repositories.refs': { input: mirroredIn },
  'repositories.tree': { input: mirroredIn },
  'repositories.contents': { input: async w => ({ ...(await mirroredIn(w)), path: 'README.md' }) },
  'repositories.commits': { input: mirroredIn },
  'repositories.diff': { input: mirroredIn },
  'repositories.blame': { input: async w => ({ ...(await mirroredIn(w)), path: 'README.md' }) },
  'repositories.grep': { input: async w => ({ ...(await mirroredIn(w)), q: 'TODO' }) },
  'repositories.search': { input: async w => ({ workspaceId: (await mirroredIn(w)).workspaceId, q: 'answer' }) },
  'repositories.owners': { input: async w => ({ ...(await mirroredIn(w)), path: 'src/main.ts' }) },
}
