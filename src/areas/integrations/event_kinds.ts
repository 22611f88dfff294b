// What can be sent: the operations that the ledger keeps, and the declared events; and which of them a filter means.
import { refused } from '../../contract/errors.ts'
import { isAudited } from '../../contract/operation.ts'
import type { Scope } from '../../contract/scopes.ts'
import { areas, operations } from '../../operations.ts'
import { scopesToHear } from '../events/visibility.ts'

/** Two workspaces that send this to each other would never stop: each message is the next one's reason. */
const unsent = ['integrations.received']

/** Id → what it is, in words. */
export const eventKinds: ReadonlyMap<string, string> = new Map(
  [
    ...Object.entries(operations)
      .filter(([, operation]) => isAudited(operation))
      .map(([id, { summary }]) => [id, summary] as const),
    ...areas.flatMap(({ events }) => Object.entries(events)),
  ]
    .filter(([id]) => !unsent.includes(id))
    .sort(([one], [other]) => (one < other ? -1 : 1)),
)

export function isMeant(glob: string, action: string): boolean {
  if (glob === '*') return true
  return glob.endsWith('.*') ? action.startsWith(glob.slice(0, -1)) : action === glob
}

export function refuseUnknownEvents(globs: readonly string[]): void {
  const kinds = [...eventKinds.keys()]
  for (const [index, glob] of globs.entries()) {
    if (kinds.some(kind => isMeant(glob, kind))) continue
    throw refused(
      `events.${index}`,
      'event',
      `an operation or event of the catalog, or a part such as issues.* (got ${glob})`,
    )
  }
}

/** What must be held to hear of these. */
export function scopesFor(globs: readonly string[]): Scope[] {
  const meant = [...eventKinds.keys()].filter(kind => globs.some(glob => isMeant(glob, kind)))
  return [...new Set(meant.flatMap(scopesToHear))].sort()
}
