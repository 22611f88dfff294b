// The registry as a surface in a browser sees it: what can be called, with which input, and who may.
import type { OperationId } from '../operations.ts'
import type { ResultOf } from './client.ts'

export type { Operation } from '../contract/operation.ts'
export { type Role, roleScopes, roles } from '../contract/permissions.ts'
export { type Scope, scopes } from '../contract/scopes.ts'
export { areas, type OperationId, operation, operationIds } from '../operations.ts'
export type { InputOf, ResultOf } from './client.ts'

export type ItemOf<K extends OperationId> = ResultOf<K> extends { items: (infer I)[] } ? I : never
