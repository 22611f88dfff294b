// Carries out the search: the directory says what there is, the permission function what the caller may read of it.
import { addressOf, type Kind, uriOf } from '../../contract/directory.ts'
import { badRequest } from '../../contract/errors.ts'
import { implement } from '../../kit/implement.ts'
import { searchSql } from '../../kit/search_sql.ts'
import { directory } from '../../operations.ts'
import { search } from './contract.ts'

export default implement(search, {
  'search.query': async ({ db, caller, now }, { workspaceId, q, object, limit = 20 }) => {
    const hits = await searchSql(db, kindsOf(object), caller, workspaceId, { q, limit, now: now() })
    const items = hits.map(hit => {
      const kind = directory.kinds.get(hit.object) as Kind
      return { ...hit, address: addressOf(kind, workspaceId, hit.id), uri: uriOf(kind, workspaceId, hit.id) }
    })
    return { items }
  },
})

function kindsOf(object: string | undefined): Kind[] {
  const kinds = [...directory.kinds.values()].filter(kind => kind.search !== undefined)
  if (object === undefined) return kinds
  const kind = kinds.find(one => one.object === object)
  if (kind) return [kind]
  const expected = `one of ${kinds.map(one => one.object).join(', ')}`
  throw badRequest(`"object" must be ${expected}.`, [{ path: 'object', rule: 'kind', expected }])
}
