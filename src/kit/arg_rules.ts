// Which argument rules of a tool's policy apply to a call, and what follows: decided by code, from the arguments alone.
import type { CallerKind } from '../contract/scopes.ts'
import type { ArgRule, ToolMode } from '../contract/tool_policy.ts'
import { canonical } from './json.ts'
import { longestText, patternOf } from './patterns.ts'

/**
 * Of the rules that apply, one that denies comes before one that allows, and that before one that wants an approval.
 * None opens what the mode of the tool or of the kind denies: that is never asked.
 */
export function modeByArguments(
  mode: 'allow' | 'approve',
  rules: readonly ArgRule[],
  kind: CallerKind | null,
  args: Readonly<Record<string, unknown>>,
): ToolMode {
  const said = new Set(
    rules.filter(rule => (rule.kind === null || rule.kind === kind) && applies(rule, args)).map(rule => rule.mode),
  )
  if (said.has('deny')) return 'deny'
  if (said.has('allow')) return 'allow'
  return said.has('approve') ? 'approve' : mode
}

function applies({ path, op, value, mode }: ArgRule, args: Readonly<Record<string, unknown>>): boolean {
  const found = at(args, path)
  if (op === 'eq') return equal(found, value)
  if (op === 'not') return !equal(found, value)
  if (op === 'in') return Array.isArray(value) && value.some(one => equal(found, one))
  // Of what is no text, nothing matches.
  if (typeof found !== 'string' || typeof value !== 'string') return false
  const made = patternOf(value)
  // Where it would take too long to tell, a rule that refuses or asks applies, and one that allows does not.
  if ('fault' in made || found.length > longestText(made.regex)) return mode !== 'allow'
  return made.regex.matcher(found).find()
}

function equal(one: unknown, other: unknown): boolean {
  return one !== undefined && canonical(one) === canonical(other)
}

function at(args: unknown, path: string): unknown {
  let found = args
  for (const name of path === '' ? [] : path.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined
    found = (found as Record<string, unknown>)[name]
  }
  return found
}

/** What is wrong with the value of a rule, in words; null where nothing is. */
export function faultOf({ op, value }: Pick<ArgRule, 'op' | 'value'>): string | null {
  if (op === 'in' && !Array.isArray(value)) return 'a list of values'
  if (op !== 'matches') return null
  const made = typeof value === 'string' ? patternOf(value) : { fault: 'a regular expression (RE2)' }
  return 'fault' in made ? made.fault : null
}
