// Tells the scopes from the registry itself.
import { roleScopes, roles } from '../../contract/permissions.ts'
import { scopes as allScopes, type Scope } from '../../contract/scopes.ts'
import { implement } from '../../kit/implement.ts'
import { operation, operationIds } from '../../operations.ts'
import { scopes } from './contract.ts'

/** The registry does not change while the process runs. */
const items = allScopes.map(toItem)

export default implement(scopes, {
  'scopes.list': async () => ({ items, count: items.length }),
})

function toItem(scope: Scope) {
  const [area = '', effect = ''] = scope.split(':')
  const operations = operationIds.filter(id => operation(id)?.access.includes(scope))
  return { scope, area, effect, operations, roles: roles.filter(role => roleScopes[role].has(scope)) }
}
