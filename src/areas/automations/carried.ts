// Executions in the archive of a workspace: they are counted by when they were, and none was after now.
import { type CarriedRow, type Carrier, hasCome } from '../../kit/carrying.ts'

function executionFault({ created, started, ended }: CarriedRow, now: Date): string | null {
  return [created, started, ended].every(at => hasCome(at, now)) ? null : 'is of a time that has not come'
}

export const carrier: Carrier = { rows: { automation_executions: executionFault } }
