// The routes of every operation. The build puts a plain table in the place of this file, so that no schema is bundled.
import type { Operations } from '../contract/operation.ts'
import { operations } from '../operations.ts'
import { type Route, routeOf } from './request.ts'

export const routes: Readonly<Record<string, Route>> = Object.fromEntries(
  Object.entries(operations as Operations).map(([id, operation]) => [id, routeOf(operation)]),
)
