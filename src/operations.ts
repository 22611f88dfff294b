// The registry as one flat table, keyed by operation id.
import { carriedBy, leftBehindBy } from './contract/carrying.ts'
import { directoryOf } from './contract/directory.ts'
import type { NotificationType } from './contract/notifications.ts'
import type { Area, Operation, Operations } from './contract/operation.ts'
import * as registry from './registry.ts'

type Registry = typeof registry
type Merge<U> = (U extends unknown ? (value: U) => void : never) extends (value: infer I) => void ? I : never

/** Every operation with its own type. */
export type OperationTable = Merge<Registry[keyof Registry]['operations']>

export type OperationId = keyof OperationTable & string

export const areas: readonly Area[] = Object.values(registry as unknown as Record<string, Area>)

/** Every kind of record, whichever area keeps it. */
export const directory = directoryOf(areas)

/** Every table that the archive of a workspace carries, and those that stay behind, with the reason. */
export const carried = carriedBy(areas)
export const leftBehind = leftBehindBy(areas)

export const operations = Object.assign({}, ...areas.map(({ operations }) => operations)) as OperationTable & Operations

export const operationIds = Object.keys(operations).sort() as OperationId[]

/** Every type of notification, whichever area declares it. */
export const notifications: Readonly<Record<string, NotificationType>> = Object.assign(
  {},
  ...areas.map(({ notifies }) => notifies),
)

/** For readers that walk the whole table and need no single operation's type. */
export function operation(id: string): Operation | undefined {
  return Object.hasOwn(operations, id) ? (operations as Operations)[id] : undefined
}
