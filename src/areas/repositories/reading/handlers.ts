// Carries out what is read from a repository at a commit.
import { asRead, implement, staged } from '../../../kit/implement.ts'
import * as store from '../store.ts'
import { blameAt, commitsAt } from './commits.ts'
import { fileAt, folderAt } from './contents.ts'
import { reading } from './contract.ts'
import { diffAt } from './diff.ts'
import { readAt, readable, readBetween } from './mirrors.ts'

const usualRefs = 100
const prefixes = { branch: 'refs/heads/', tag: 'refs/tags/' }

export default implement(reading, {
  'repositories.refs': async ({ db }, { workspaceId, id, type, q = '', limit = usualRefs, after = '' }) => {
    const { headSha, defaultBranch } = await readable(db, workspaceId, id)
    const prefix = type === undefined ? 'refs/' : prefixes[type]
    const found = await store.refsAfter(db, id, { prefix, part: q, after, limit: limit + 1 })
    const refs = found.slice(0, limit).map(({ name, sha }) => {
      const kind = name.startsWith(prefixes.tag) ? ('tag' as const) : ('branch' as const)
      return { name: name.slice(prefixes[kind].length), type: kind, commitSha: sha }
    })
    return { sha: headSha, defaultBranch, refs, next: found.length > limit ? (found[limit - 1]?.name ?? null) : null }
  },

  'repositories.tree': staged((ctx, input) => readAt(ctx, input, at => folderAt(at, input)), asRead),

  'repositories.contents': staged((ctx, input) => readAt(ctx, input, at => fileAt(at, input)), asRead),

  'repositories.commits': staged((ctx, input) => readAt(ctx, input, at => commitsAt(at, input)), asRead),

  'repositories.diff': staged((ctx, input) => readBetween(ctx, input, (at, base) => diffAt(at, base, input)), asRead),

  'repositories.blame': staged((ctx, input) => readAt(ctx, input, at => blameAt(at, input)), asRead),
})
