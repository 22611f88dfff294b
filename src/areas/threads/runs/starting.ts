// Who starts a run, and what is handed to it: never more than they hold now, nor than its kind may have.
import { scopesOfKind } from '../../../contract/kinds.ts'
import { scopesHeld } from '../../../contract/permissions.ts'
import type { CallerKind, Scope } from '../../../contract/scopes.ts'
import type { Caller } from '../../../kit/context.ts'

export type Rights = {
  workspaceId: string
  ownerId: string
  /** The key or consent that the run ends with. A session's end is no bound for the work it began. */
  starterId: string | null
  callerKind: CallerKind
  isAttended: boolean
  scopes: readonly Scope[]
}

type Starter = Pick<Caller, 'credential' | 'credentialId' | 'ownerId' | 'userId' | 'callerKind' | 'scopes' | 'role'>

/** `parentStarterId`: of the run that starts this one, which ends with the same key. */
export function rightsOf(
  starter: Starter,
  workspaceId: string,
  kind: CallerKind,
  { grants, parentStarterId = null }: { grants?: readonly Scope[]; parentStarterId?: string | null } = {},
): Rights {
  const held = new Set(scopesHeld(starter))
  const { credential, credentialId, ownerId } = starter
  const bound = credential === 'key' || credential === 'oauth' ? credentialId : null
  return {
    workspaceId,
    ownerId,
    starterId: credential === 'run' ? parentStarterId : bound,
    callerKind: kind,
    isAttended: starter.callerKind === null && starter.userId !== null && attended.includes(kind),
    scopes: scopesOfKind(kind, grants).filter(scope => held.has(scope)),
  }
}

/** A hypothesis asks nobody for anything, and an automation has nobody to ask. */
const attended: readonly CallerKind[] = ['private', 'investigation', 'autofix']
