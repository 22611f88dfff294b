// The rows of inputs of autofixes.
import { hash } from 'node:crypto'
import type { autofixes } from '../../src/areas/autofixes/contract.ts'
import { AutofixId } from '../../src/areas/autofixes/fields/contract.ts'
import * as store from '../../src/areas/autofixes/store.ts'
import { newId } from '../../src/kit/random.ts'
import { sql } from '../../src/kit/sql.ts'
import type { CallRow, World } from '../calls.ts'
import type { TestCaller } from '../helpers/platform.ts'
import { mirroredIn } from '../repositories/calls.ts'

let count = 0
const inWorkspace = ({ workspaceId }: World) => ({ workspaceId })

/** Of the small repository; each is another. */
const newPatch = () =>
  `--- a/README.md\n+++ b/README.md\n@@ -1,3 +1,3 @@\n # Small\n \n-TODO: grow.\n+TODO: grow ${count++}.\n`

type Named = { workspaceId: string; id: string }

/** Written without git: most calls need only that it is there. */
async function autofixIn(w: World, { userId }: Partial<TestCaller>, status: store.AutofixRow['status']) {
  const { p, workspaceId } = w
  const { id: repositoryId } = await mirroredIn(w)
  const [row] = await p.database.query<{ headSha: string }>(
    sql`select head_sha from repositories where id = ${repositoryId}`,
  )
  const baseSha = row?.headSha ?? ''
  const patch = newPatch()
  const id = newId(AutofixId)
  const check = { state: 'clean' as const, headSha: baseSha, at: p.now().toISOString(), conflicts: [], warnings: [] }
  const text = { title: `Grow ${count}`, description: null, patch, patchSha256: hash('sha256', patch, 'hex') }
  const place = {
    repositoryId,
    baseRef: 'main',
    baseSha,
    issueId: null,
    threadId: null,
    runId: null,
    runThreadId: null,
  }
  const rest = { files: [], check, patchMark: null, origin: 'manual' as const, status }
  const made = { id, workspaceId, ownerId: userId ?? 'system', ...text, ...place, ...rest }
  await store.insert(p.database, made, p.now())
  return { workspaceId, id }
}

const closed = (w: World, caller: TestCaller) => autofixIn(w, caller, 'rejected')
const proposed = (w: World, caller: TestCaller) => autofixIn(w, caller, 'proposed')

async function approved(w: World, caller: TestCaller): Promise<Named> {
  const made = await autofixIn(w, caller, 'approved')
  await store.approve(w.p.database, w.workspaceId, made.id, w.owner.userId, w.p.now())
  return made
}

export const calls: Readonly<Record<keyof typeof autofixes.operations, CallRow>> = {
  'autofixes.list': { input: inWorkspace },
  'autofixes.get': { input: closed },
  'autofixes.diff': { input: closed },
  'autofixes.post': {
    input: async w => {
      const { id: repositoryId } = await mirroredIn(w)
      return { ...inWorkspace(w), repositoryId, title: `Grow ${count}`, patch: newPatch(), status: 'draft' }
    },
    gives: ['repositories:read'],
  },
  'autofixes.patch': {
    input: async (w, caller) => ({ ...(await proposed(w, caller)), title: `Grow more ${count++}` }),
  },
  'autofixes.check': { input: proposed },
  'autofixes.approve': { input: proposed },
  'autofixes.reject': { input: async (w, caller) => ({ ...(await proposed(w, caller)), reason: 'wrong' }) },
  'autofixes.apply': { input: async (w, caller) => ({ ...(await approved(w, caller)), target: 'branch' }) },
  'autofixes.publish': { input: closed },
  'autofixes.del': { input: closed },
}
