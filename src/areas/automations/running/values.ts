// What steps read: the trigger, what earlier steps gave, and templates and conditions over both.
import { Type } from 'typebox'
import { check, test } from '../../../kit/cel.ts'
import { renderJson } from '../../../kit/template.ts'

export type Values = {
  trigger: unknown
  automation: { id: string; name: string }
  workspace: { id: string }
  /** When the execution began: the same however often a step is tried, so that a repeated call is the same call. */
  now: string
  steps: Record<string, { output: unknown; status: string; error: string | null }>
  item?: unknown
  index?: number
}

/** What was checked when it was saved need not be typed again. One object, since what was checked is remembered by it. */
const roots = Type.Object({
  trigger: Type.Unknown(),
  automation: Type.Unknown(),
  workspace: Type.Unknown(),
  now: Type.Unknown(),
  steps: Type.Unknown(),
  item: Type.Unknown(),
  index: Type.Unknown(),
})

export function isTrue(text: string, values: object): { matches: boolean; reason?: string } {
  const checked = check(text, roots)
  if (!checked.ok) return { matches: false, reason: checked.problem.message }
  return test(checked.expression, values as Record<string, unknown>)
}

export function rendered(template: Readonly<Record<string, unknown>>, values: object): Record<string, unknown> {
  const all = renderJson(template, values) as Record<string, unknown>
  // A field that would be filled with what is not there is left out, as if it had not been written.
  return Object.fromEntries(Object.entries(all).filter(([name, value]) => value !== null || template[name] === null))
}

const mostKept = 64 * 1024

/** The beginning of what is long stands for it, in the history and for later steps. */
export function kept(value: unknown): unknown {
  const text = JSON.stringify(value ?? null)
  return text.length <= mostKept ? (value ?? null) : { truncated: true, text: text.slice(0, mostKept) }
}
