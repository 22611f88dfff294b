// API keys in the archive of a workspace: what their calls take. They come without a secret and open nothing until rotated.
import { agentCallers, scopes } from '../../contract/scopes.ts'
import { isAddressRange } from '../../kit/addresses.ts'
import { type CarriedRow, type Carrier, hasCome } from '../../kit/carrying.ts'

const ownerForm = /^(system$|usr_|team_)/
const kinds: readonly unknown[] = [null, undefined, ...agentCallers]
const known: ReadonlySet<string> = new Set(scopes)

function keyFault(row: CarriedRow, now: Date): string | null {
  const { owner_id: owner, caller_kind: kind, last_active: lastActive } = row
  const ranges = (row.allowed_ips ?? []) as readonly string[]
  if (!ownerForm.test(String(owner))) return 'has an owner who cannot have keys'
  if (!kinds.includes(kind)) return 'is of a kind that there is not'
  if (!ranges.every(isAddressRange)) return 'has no good address in "allowed_ips"'
  const uses = Object.entries((row.scope_use ?? {}) as CarriedRow)
  if (uses.some(([scope]) => !known.has(scope))) return 'has used a scope that there is not'
  return [lastActive, ...uses.map(([, at]) => at)].every(at => hasCome(at, now))
    ? null
    : 'is of a time that has not come'
}

export const carrier: Carrier = { rows: { api_keys: keyFault } }
