// By what nodes are coloured, and what each colour means. A colour never stands without its word.
import type { Change, InfraNode } from '../node.ts'
import type { Healths } from './reading.ts'

export const colourings = { tier: 'Tier', health: 'Health', change: 'Recent change' } as const
export type Colouring = keyof typeof colourings

export type Tone = { name: string; tone: 'red' | 'orange' | 'blue' | 'green' | 'gray' }

const tiers: Readonly<Record<InfraNode['tier'], Tone>> = {
  critical: { name: 'Critical', tone: 'red' },
  high: { name: 'High', tone: 'orange' },
  normal: { name: 'Normal', tone: 'blue' },
  low: { name: 'Low', tone: 'gray' },
}

const kinds: Readonly<Record<Change['kind'], Tone>> = {
  added: { name: 'New', tone: 'green' },
  changed: { name: 'Changed', tone: 'orange' },
  removed: { name: 'Was removed', tone: 'red' },
}

/** So many of a hundred requests that fail are worth a look, and so many are bad. */
const worthALook = 0.01
const bad = 0.05

function healthTone(id: string, { byNode, lookedAt }: Healths): Tone {
  const health = byNode.get(id)
  if (!health && !lookedAt.has(id)) return { name: 'Not looked at', tone: 'gray' }
  if (!health || health.errorRate === null) return { name: 'No telemetry', tone: 'gray' }
  if (health.errorRate >= bad) return { name: 'Many errors', tone: 'red' }
  return health.errorRate >= worthALook ? { name: 'Some errors', tone: 'orange' } : { name: 'Fine', tone: 'green' }
}

export type Known = { health: Healths; changes: ReadonlyMap<string, Change> }

export function toneOf(node: InfraNode, by: Colouring, { health, changes }: Known): Tone {
  if (by === 'tier') return tiers[node.tier]
  if (by === 'health') return healthTone(node.id, health)
  const change = changes.get(node.id)
  return change ? kinds[change.kind] : { name: 'Not changed', tone: 'gray' }
}

/** What is drawn, each with its colour and how many there are. */
export function legendOf(tones: readonly Tone[]): (Tone & { count: number })[] {
  const all = new Map<string, Tone & { count: number }>()
  for (const tone of tones) all.set(tone.name, { ...tone, count: (all.get(tone.name)?.count ?? 0) + 1 })
  return [...all.values()].sort((one, other) => other.count - one.count)
}
