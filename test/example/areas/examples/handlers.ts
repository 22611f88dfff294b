// Carries out the operations on examples.
import * as labels from '../../../../src/areas/labels/store.ts'
import * as workspaces from '../../../../src/areas/workspaces/store.ts'
import type { Content } from '../../../../src/contract/content.ts'
import { badRequest } from '../../../../src/contract/errors.ts'
import { linesOf, textOf } from '../../../../src/kit/content.ts'
import { implement } from '../../../../src/kit/implement.ts'
import { found, patched, unique } from '../../../../src/kit/outcomes.ts'
import { reachOf } from '../../../../src/kit/owned.ts'
import { newId } from '../../../../src/kit/random.ts'
import { refuseUnknown } from '../../../../src/kit/references.ts'
import { directory } from '../../../../src/operations.ts'
import { ExampleId, examples } from './contract.ts'
import * as store from './store.ts'

const taken = ['examples__name', 'You have an example of that name; choose another.'] as const

export default implement(examples, {
  'examples.list': ({ db, caller }, { workspaceId, ...query }) => store.pageOfExamples(db, query, caller, workspaceId),

  'examples.get': ({ db, caller }, { workspaceId, id }) => found(store.find(db, caller, workspaceId, id), 'example'),

  'examples.post': async (
    { db, caller, now },
    { workspaceId, name, text = null, visibility = 'workspace', ...rest },
  ) => {
    const { teamId = null } = rest
    if (teamId) await refuseUnknown(db, directory, caller, workspaceId, [{ object: 'team', id: teamId }], 'teamId')
    const { ownerId } = caller
    const fields = { id: newId(ExampleId), workspaceId, ownerId, name, text, visibility, teamId, group: null }
    const made = await unique(store.insert(db, fields, now()), ...taken)
    await labels.changeLabels(db, workspaceId, [{ object: 'example', id: made.id, add: rest.labels ?? [] }])
    return { ...made, labels: [...new Set(rest.labels)].sort() }
  },

  'examples.patch': async ({ db, caller, now, note }, { workspaceId, id, ...fields }) => {
    await workspaces.keepAlive(db, workspaceId)
    await store.lock(db, workspaceId, id)
    const before = await found(store.find(db, caller, workspaceId, id), 'example')
    return await patched(note, before, fields, async () => {
      const { labels: only, ...rest } = fields
      if (only) await labels.changeLabels(db, workspaceId, [{ object: 'example', id, only }])
      return await unique(store.update(db, id, rest, now()), ...taken)
    })
  },

  'examples.del': async ({ db, caller, access, note }, { workspaceId, id }) => {
    const reach = reachOf(access, caller)
    await found(store.find(db, caller, workspaceId, id, reach), 'example')
    note({ before: await found(store.remove(db, workspaceId, id, reach), 'example') })
    return { workspaceId, id, _object: 'example' as const }
  },

  'examples.import': async ({ db, caller, now, note }, { workspaceId, group = null, content }) => {
    const names = namesIn(content)
    if (names.length > 1_000) throw badRequest('At most 1,000 examples are created at once.')
    note({ target: { object: 'workspace', id: workspaceId } })
    const rows = names.map(name => ({ id: newId(ExampleId), name }))
    return { created: await unique(store.insertAll(db, rows, workspaceId, caller.ownerId, group, now()), ...taken) }
  },

  'examples.measure': async (_, { content }) => ({ kind: content.kind, bytes: content.bytes.length }),

  'examples.links.list': async ({ db, caller }, { workspaceId, id, ...query }) => {
    await found(store.find(db, caller, workspaceId, id), 'example')
    return await store.pageOfLinks(db, query, id)
  },

  'examples.links.post': async ({ db, caller, now }, { workspaceId, id, about }) => {
    const example = await found(store.find(db, caller, workspaceId, id), 'example')
    await refuseUnknown(db, directory, caller, workspaceId, [about], 'about')
    return await unique(store.insertLink(db, example, about, now()), 'example_links_pkey', 'It says so already.')
  },
})

/** One name a line: as text, or in an object as JSON. */
function namesIn(content: Content): string[] {
  const lines =
    content.kind === 'text'
      ? textOf(content)
          .split('\n')
          .filter(line => line.trim() !== '')
          .map((line, index) => ({ number: index + 1, name: line.trim() as unknown }))
      : [...linesOf(content)].map(({ number, value }) => ({ number, name: (value as { name?: unknown } | null)?.name }))
  return lines.map(({ number, name }) => {
    if (typeof name === 'string' && name.length >= 2 && name.length <= 64) return name
    throw badRequest(`Line ${number} has no name of 2 to 64 characters.`)
  })
}
