// Counts of telemetry in the archive of a workspace: limits sum them up, and nothing was sent after now.
import { type CarriedRow, type Carrier, hasCome } from '../../kit/carrying.ts'

function countFault({ day, hour, last_used_at: lastUsed, error_at: failed }: CarriedRow, now: Date): string | null {
  return [day, hour, lastUsed, failed].every(at => hasCome(at, now)) ? null : 'is of a time that has not come'
}

export const carrier: Carrier = { rows: { telemetry_token_days: countFault, telemetry_token_hours: countFault } }
