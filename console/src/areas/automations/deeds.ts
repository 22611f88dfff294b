// What a step can do: the words of automations, and every operation that may stand in one.
import { useQuery } from '@tanstack/react-query'
import type { Operation } from '../../../../src/client/catalogue.ts'
import { useCall } from '../../api.ts'
import { areaOf, brief, indexedAreas, loadContract, operation } from '../../contract.ts'
import { wordsOf } from '../../format.ts'
import { useStanding } from '../../session.ts'
import { bare, type Field, type JsonSchema } from '../schema.ts'
import { newUid, type Step, uid } from './automation.ts'

export type Deed = { do: string; about: string; group: string }

/** Lists of further steps that a word has, with what each is called. */
const inner: Readonly<Record<string, readonly (readonly ['steps' | 'else', string])[]>> = {
  branch: [
    ['steps', 'If it is true'],
    ['else', 'Else'],
  ],
  forEach: [['steps', 'For each item']],
  approve: [['else', 'If it is denied, or nobody decides in time']],
}

/** A step may hold steps that hold steps, and no further. */
export const deepest = 2

export function innerLists(word: string, depth: number) {
  return depth < deepest ? (inner[word] ?? []) : []
}

const flow = new Set(['wait', 'branch', 'forEach', 'approve'])

export function useShorthands() {
  return useCall('automations.schema', {}).data?.shorthands ?? []
}

function useContracts(areas: readonly string[], isWanted: boolean) {
  return useQuery({
    queryKey: ['contracts', areas],
    queryFn: async () => {
      await Promise.all(areas.map(loadContract))
      return true
    },
    enabled: isWanted,
    staleTime: Number.POSITIVE_INFINITY,
    networkMode: 'always',
  })
}

const everyArea = indexedAreas.map(({ name }) => name)

/** All that this person may put into a step; asked for when somebody looks for one. */
export function useDeeds(isWanted: boolean, depth: number) {
  const { may } = useStanding()
  const shorthands = useShorthands()
  const contracts = useContracts(everyArea, isWanted)
  const words = shorthands
    .filter(({ do: word }) => !(depth >= deepest && word in inner))
    .filter(({ operation: id }) => id === null || may(id))
    .map(({ do: word, about }) => ({ do: word, about, group: flow.has(word) ? 'Flow' : 'Often used' }))
  const operations = contracts.data
    ? indexedAreas.flatMap(({ name, operations: own }) =>
        Object.keys(own).flatMap(id => {
          const known = operation(id)
          if (!known || !isStep(known) || !may(id)) return []
          return [{ do: id, about: known.summary, group: wordsOf(name) }]
        }),
      )
    : []
  const deeds: Deed[] = [
    ...words.filter(one => one.group === 'Flow'),
    ...words.filter(one => one.group !== 'Flow'),
    ...operations,
  ]
  return {
    deeds,
    isLoading: isWanted && contracts.isPending,
    error: contracts.error,
    retry: () => void contracts.refetch(),
  }
}

/** What takes or gives a file, or is for people or protocols alone, is no step; the service has the same rule. */
function isStep(known: Operation): boolean {
  if (typeof known.access === 'string') return false
  if (known.produces || known.consumes || known.signal || known.tool === false) return false
  if (known.credentials && !known.credentials.includes('run')) return false
  return known.restricted?.includes('automation') !== true
}

/** The fields of what a step does; undefined while they are looked up, null where there is no such thing. */
export function useStepFields(word: string): readonly Field[] | null | undefined {
  const found = useCall('automations.schema', {})
  const shorthand = found.data?.shorthands.find(one => one.do === word)
  const id = shorthand ? shorthand.operation : word
  const isOperation = id !== null && brief(id) !== undefined
  const contract = useContracts(id === null ? [] : [areaOf(id)], isOperation)
  if (!found.data) return undefined
  if (shorthand && id === null) return fieldsOf(shorthand.input as JsonSchema)
  if (!isOperation) return null
  return contract.data ? fieldsOf(inputOf(operation(id))) : undefined
}

/** All of its input but the workspace, which is always the automation's own. */
function inputOf(known: Operation | undefined): JsonSchema {
  const parts = [known?.path, known?.query, known?.body].filter(part => part !== undefined) as JsonSchema[]
  return {
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required }) => required ?? []),
  }
}

function fieldsOf({ properties = {}, required = [] }: JsonSchema): Field[] {
  return Object.entries(properties)
    .filter(([name]) => name !== 'workspaceId')
    .map(([name, schema]) => ({
      name,
      label: wordsOf(name),
      schema: bare(schema),
      isNeeded: required.includes(name),
      isNullable: false,
    }))
}

/** With a name of its own, so that later steps can say what they take from it. */
export function newStep(word: string, taken: ReadonlySet<string>): Step {
  const plain: Step = { do: word, [uid]: newUid() }
  if (word === 'wait' || word === 'branch') return plain
  const first = word.replaceAll('.', '_').slice(0, 28)
  let id = first
  for (let count = 2; taken.has(id); count++) id = `${first}_${count}`
  return { id, ...plain }
}

export function idsIn(steps: readonly Step[]): Set<string> {
  return new Set(
    steps.flatMap(step => [...(step.id ? [step.id] : []), ...idsIn(step.steps ?? []), ...idsIn(step.else ?? [])]),
  )
}
