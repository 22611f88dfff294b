// What each kind of agent may do beside reading; whoever starts a run hands on no more than this, and never more than they hold.
import type { Operation } from './operation.ts'
import { type CallerKind, type Scope, scopes } from './scopes.ts'

const reads = scopes.filter(scope => scope.endsWith(':read'))

/** To run tools takes this too; it adds nothing to what their operations ask for. */
const tools: readonly Scope[] = ['agent_tools:write']

const hypothesis: readonly Scope[] = [...reads, ...tools, 'messages:write', 'threads:write']
const investigation: readonly Scope[] = [...hypothesis, 'issues:write', 'memories:write']

/** The most that a token of the kind can hold; an automation holds what its `grants` list. */
const most: Readonly<Record<Exclude<CallerKind, 'automation'>, readonly Scope[]>> = {
  hypothesis,
  investigation,
  autofix: [...investigation, 'autofixes:write'],
  private: scopes,
}

export function scopesOfKind(kind: CallerKind, grants: readonly Scope[] = []): readonly Scope[] {
  return kind === 'automation' ? grants : most[kind]
}

/** Of these, scopes say too little: beside reading they call what names them among its `agents`, and nothing else. */
const narrow: readonly CallerKind[] = ['hypothesis', 'investigation', 'autofix']

/** Whether the kind's table has the operation, whatever the policy of the workspace says. */
export function isOfKind({ access, agents }: Operation, kind: CallerKind): boolean {
  if (!narrow.includes(kind) || typeof access === 'string') return true
  return access.every(scope => scope.endsWith(':read')) || agents?.includes(kind) === true
}
