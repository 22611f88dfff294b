// What a run of the built-in runner has used, and what it may still use: before each question to the model, exactly.
import type { AgentSettings } from '../../../workspaces/agent/contract.ts'
import type { RunRow, Used } from '../store.ts'

export type Spent = { in: number; out: number; steps: number; cost: number; workedMs: number }

const perMillion = 1_000_000
/** Costs are kept to so many parts of one, so that sums of them stay exact. */
const parts = 10_000_000_000
const minuteMs = 60_000

export function spentOf(usage: RunRow['usage'], workedMs: number): Spent {
  const { in: read = 0, out = 0, steps = 0, cost = 0 } = usage ?? {}
  return { in: read, out, steps, cost, workedMs }
}

/** With one more answer of the model. */
export function withAnswer(spent: Spent, limits: AgentSettings, answer: { in: number; out: number }): Spent {
  const cost = Math.round((spent.cost + costOf(limits, answer)) * parts) / parts
  return { ...spent, in: spent.in + answer.in, out: spent.out + answer.out, steps: spent.steps + 1, cost }
}

function costOf({ priceIn, priceOut }: AgentSettings, used: { in: number; out: number }): number {
  return (used.in * (priceIn ?? 0) + used.out * (priceOut ?? 0)) / perMillion
}

type Bound = { setting: string; limit: number; what: string; left: number }

function tokenBounds(limits: AgentSettings, spent: Spent, day: Used): Bound[] {
  const { maxTokensPerRun, maxTokensPerDay } = limits
  return [
    bound('agent.maxTokensPerRun', 'tokens', maxTokensPerRun, spent.in + spent.out),
    bound('agent.maxTokensPerDay', 'tokens of the workspace in 24 hours', maxTokensPerDay, day.tokens),
  ].flat()
}

function costBounds(limits: AgentSettings, spent: Spent, day: Used): Bound[] {
  return [
    bound('agent.maxCostPerRun', 'in costs', limits.maxCostPerRun, spent.cost),
    bound('agent.maxCostPerDay', 'in costs of the workspace in 24 hours', limits.maxCostPerDay, day.cost),
  ].flat()
}

function bound(setting: string, what: string, limit: number | null, used: number): Bound[] {
  return limit === null ? [] : [{ setting, limit, what, left: limit - used }]
}

/** Which budget is used up, in words; null where none is. */
export function usedUp(limits: AgentSettings, spent: Spent, day: Used): string | null {
  const steps = bound('agent.maxStepsPerRun', 'steps', limits.maxStepsPerRun, spent.steps)
  const all = [...steps, ...tokenBounds(limits, spent, day), ...costBounds(limits, spent, day)]
  return firstOver(all) ?? outOfMinutes(limits, spent)
}

export function outOfMinutes({ maxMinutesPerRun }: AgentSettings, { workedMs }: Spent): string | null {
  return firstOver(bound('agent.maxMinutesPerRun', 'minutes', maxMinutesPerRun, workedMs / minuteMs))
}

function firstOver(bounds: readonly Bound[]): string | null {
  const over = bounds.find(({ left }) => left <= 0)
  return over ? told(over) : null
}

function told({ setting, limit, what }: Bound): string {
  return `The run has used its ${limit} ${what} (${setting}); raise it in the settings of the workspace, or ask for less.`
}

/** How much the model may write, when it reads about so many tokens; or what does not suffice for one token. */
export function allowance(
  limits: AgentSettings,
  spent: Spent,
  day: Used,
  reads: number,
): { mostOutput: number; bounded: string | null } | { usedUp: string } {
  let [most, bounded]: [number, string | null] = [limits.maxOutputTokens, null]
  const take = (limit: Bound, tokens: number) => {
    if (tokens < most) [most, bounded] = [tokens, told(limit)]
  }
  for (const one of tokenBounds(limits, spent, day)) take(one, one.left - reads)
  const price = (limits.priceOut ?? 0) / perMillion
  for (const one of costBounds(limits, spent, day)) {
    const left = one.left - costOf(limits, { in: reads, out: 0 })
    if (price > 0 || left <= 0) take(one, left <= 0 ? 0 : Math.floor(left / price))
  }
  return most < 1 ? { usedUp: bounded ?? '' } : { mostOutput: most, bounded }
}

/** Tokens are about four letters long; what they really were, the model says with its answer. */
export function tokensIn(text: string): number {
  return Math.ceil(text.length / 4)
}
