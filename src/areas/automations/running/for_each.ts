// A step for each of several items, some of them at the same time.
import type { Step } from '../fields/contract.ts'
import { done, type Outcome } from './outcomes.ts'
import { rendered, type Values } from './values.ts'
import type { Work } from './work.ts'

const mostItems = 100
const mostParallel = 10

type Walk = (work: Work, steps: readonly Step[], prefix: string, values: Values) => Promise<Outcome>
type Save = (output: unknown, input: unknown, error: string | null) => Promise<Outcome>

/** Each item sees the steps before, and its own. What it gives is a list: of each item, what its last step gave. */
export async function each(work: Work, step: Step, path: string, values: Values, walk: Walk, save: Save) {
  const input = rendered(step.with ?? {}, values)
  const { items, parallel = 1 } = input as { items?: unknown; parallel?: number }
  const steps = step.steps ?? []
  if (!Array.isArray(items)) return await ended(step, save, [], input, 'There is no list to go over.')
  if (items.length > mostItems) {
    return await ended(step, save, [], input, `There are ${items.length} items; it goes over at most ${mostItems}.`)
  }
  const all: { outcome: Outcome; values: Values }[] = []
  let next = 0
  const line = async () => {
    while (next < items.length) {
      const index = next++
      const own: Values = { ...values, steps: { ...values.steps }, item: items[index], index }
      const outcome = await walk(work, steps, `${path}[${index}].steps.`, own)
      all[index] = { outcome, values: own }
      if (outcome.is === 'over' || outcome.is === 'paused') return
      // One after the other: the next begins when this one is through.
      if (parallel === 1 && outcome.is !== 'done') return
    }
  }
  await Promise.all(Array.from({ length: Math.min(parallel, mostParallel) }, line))
  const outcomes = all.filter(Boolean).map(({ outcome }) => outcome)
  const open = outcomes.find(({ is }) => is === 'over' || is === 'paused')
  if (open) return open
  const waits = outcomes.flatMap(outcome => (outcome.is === 'waiting' ? [outcome.until.getTime()] : []))
  if (waits.length > 0) return { is: 'waiting' as const, until: new Date(Math.min(...waits)) }
  const last = steps.at(-1)?.id
  const output = all.map(one => (last ? (one?.values.steps[last]?.output ?? null) : null))
  const failure = outcomes.find(outcome => outcome.is === 'failed')
  return await ended(step, save, output, input, failure?.is === 'failed' ? failure.error : null)
}

async function ended(step: Step, save: Save, output: unknown, input: unknown, error: string | null): Promise<Outcome> {
  const saved = await save(output, input, error)
  if (saved.is !== 'done' || error === null) return saved
  return step.onError === 'continue' ? done : { is: 'failed', error }
}
