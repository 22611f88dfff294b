// Policies over tools in the archive of a workspace: every call of an agent reads their rules, so they are held to what a
// call may set.
import { Compile } from 'typebox/compile'
import type { ArgRule } from '../../contract/tool_policy.ts'
import { faultOf } from '../../kit/arg_rules.ts'
import type { CarriedRow, Carrier } from '../../kit/carrying.ts'
import { agentTools } from './contract.ts'
import { isTooMuch } from './store.ts'

const { mode, perKind, maxCallsPerRun, argRules } =
  agentTools.operations['agent_tools.get'].result.properties.policy.properties
const checks = {
  mode: Compile(mode),
  per_kind: Compile({ ...perKind, required: [] }),
  max_calls_per_run: Compile(maxCallsPerRun),
  arg_rules: Compile(argRules),
}

function policyFault(row: CarriedRow): string | null {
  const wrong = Object.entries(checks).find(([name, check]) => row[name] !== undefined && !check.Check(row[name]))
  if (wrong) return `has no good value in "${wrong[0]}"`
  const rules = (row.arg_rules ?? []) as readonly ArgRule[]
  if (isTooMuch(rules)) return 'has more rules than a tool may have'
  const fault = rules.map(faultOf).find(one => one !== null)
  return fault === undefined ? null : `has a rule whose value is not ${fault}`
}

export const carrier: Carrier = { rows: { agent_tool_policies: policyFault } }
