// Finds what a selector of labels means, without asking every workload about every selector.
import type { NodeKey } from '../../found/contract.ts'
import { entriesOf } from '../values.ts'

type Labelled = { key: NodeKey; labels: ReadonlyMap<string, string> }

export type Selectable = {
  add: (namespace: string, labels: unknown, key: NodeKey) => void
  /** An empty selector means nothing here, as it does in a Service. */
  select: (namespace: string, selector: unknown) => NodeKey[]
}

const mostLabels = 100

export function selectable(): Selectable {
  const byLabel = new Map<string, Labelled[]>()
  const indexKey = (namespace: string, [name, value]: readonly [string, string]) => `${namespace}\n${name}\n${value}`
  return {
    add: (namespace, given, key) => {
      const labels = labelsOf(given)
      for (const label of labels) {
        const at = indexKey(namespace, label)
        const others = byLabel.get(at)
        if (others) others.push({ key, labels })
        else byLabel.set(at, [{ key, labels }])
      }
    },
    select: (namespace, selector) => {
      const wanted = [...labelsOf(selector)]
      const lists = wanted.map(label => byLabel.get(indexKey(namespace, label)) ?? [])
      const [shortest] = lists.toSorted((one, other) => one.length - other.length)
      const isMeant = ({ labels }: Labelled) => wanted.every(([name, value]) => labels.get(name) === value)
      return (shortest ?? []).filter(isMeant).map(({ key }) => key)
    },
  }
}

/** A selector of which a part is not understood means nothing: the rest of it would select too much. */
function labelsOf(given: unknown): ReadonlyMap<string, string> {
  const entries = entriesOf(given, mostLabels + 1)
  const isUnderstood = entries.length <= mostLabels && entries.every(([, value]) => typeof value === 'string')
  return new Map(isUnderstood ? (entries as [string, string][]) : [])
}
