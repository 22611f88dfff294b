// Runs in the archive of a workspace: what they used is summed up, so it is held to what a runner may tell.
import { Compile } from 'typebox/compile'
import { type CarriedRow, type Carrier, hasCome } from '../../kit/carrying.ts'
import { RunUsage } from './runs/contract.ts'

/** Of another version it may tell more. */
const isUsage = Compile({ ...RunUsage, additionalProperties: true })

function runFault({ usage, created, started, ended }: CarriedRow, now: Date): string | null {
  if (![created, started, ended].every(at => hasCome(at, now))) return 'is of a time that has not come'
  return usage === undefined || usage === null || isUsage.Check(usage) ? null : 'has no good value in "usage"'
}

export const carrier: Carrier = { rows: { agent_runs: runFault } }
