// Which scopes a call needs and its credential lacks, known before it is made: an OAuth client can ask for them.
import type { Scope } from '../contract/scopes.ts'
import type { OperationTool } from '../contract/tools.ts'
import { operations } from '../operations.ts'
import { type Catalogue, catalogueOf, permissionFor, type View } from './catalogue.ts'
import { everydayTools } from './everyday.ts'

type Message = { method?: unknown; params?: { name?: unknown; arguments?: Record<string, unknown> } }

/** The missing scopes and those it holds already, because a client requests exactly the listed ones. Empty: none is missing. */
export function scopesToAskFor(view: View, message: unknown): readonly Scope[] {
  const { method, params } = (message ?? {}) as Message
  if (method !== 'tools/call' || typeof params?.name !== 'string') return []
  const tool = targetOf(catalogueOf(operations), params.name, params.arguments ?? {})
  const permission = tool && permissionFor(view, tool)
  if (!permission || permission.allowed || permission.reason !== 'scope') return []
  return [...new Set([...(view.standing.scopes ?? []), ...tool.scopes])]
}

function targetOf(catalogue: Catalogue, name: string, args: Record<string, unknown>): OperationTool | undefined {
  const everyday = everydayTools.find(({ tool }) => tool.name === name)
  return everyday ? everyday.target?.(catalogue, args)?.operation : catalogue.byName.get(name)
}
