// The registry as a surface in a browser sees it: what can be called, with which input, and who may.
export type { Area, Operation } from '../contract/operation.ts'
export { pastTense } from '../contract/past_tense.ts'
export { type Role, roleScopes, roles } from '../contract/permissions.ts'
export type { Format } from '../contract/records.ts'
export { agentCallers, type CallerKind, type Scope, scopes } from '../contract/scopes.ts'
export { defaultMode } from '../contract/tool_policy.ts'
export { areas, type OperationId } from '../operations.ts'
export type { InputOf, ItemOf, ResultOf } from './client.ts'
