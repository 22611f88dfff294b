// What the service says of a draft while it is written: faults with their places, needs, times and paths.
import { useDebouncedValue } from '@mantine/hooks'
import { createContext, useContext, useRef } from 'react'
import { fieldIssues, useCall } from '../../api.ts'
import { useStanding, useWorkspaceId } from '../../session.ts'
import { type Checked, type Draft, definitionOf, type Fault, type Trigger } from './automation.ts'

const pauseMs = 400

export type Checking = {
  faults: readonly Fault[]
  needs: readonly string[]
  times: Checked['times']
  /** The triggers that the times are of: those of the draft may have changed since. */
  timed: readonly Partial<Trigger>[]
  paths: Checked['paths']
  /** It is about the draft as it stands now. */
  isCurrent: boolean
  error: Error | null
  again: () => void
}

/** Asked again when the writer pauses. `refused` is what a save was answered with, which may know more. */
export function useCheck(draft: Draft, refused: { error: unknown; of: string } | null): Checking {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const text = JSON.stringify(definitionOf(draft))
  const [settled] = useDebouncedValue(text, pauseMs)
  const definition = JSON.parse(settled) as Record<string, unknown>
  const input = { workspaceId, definition }
  const { data, error, isPlaceholderData, isFetching, refetch } = useCall('automations.check', input, {
    keep: true,
    enabled: may('automations.check'),
  })
  const answered = useRef(settled)
  if (!isPlaceholderData) answered.current = settled
  const told = refused?.of === text ? fieldIssues(refused.error) : []
  const own = data?.faults ?? []
  const further = told.filter(({ path }) => !own.some(fault => fault.path === path))
  return {
    faults: [...own, ...further],
    needs: data?.needs ?? [],
    times: data?.times ?? [],
    timed: (JSON.parse(answered.current) as { triggers: readonly Partial<Trigger>[] }).triggers,
    paths: data?.paths ?? [],
    isCurrent: data !== undefined && settled === text && !isPlaceholderData && !isFetching,
    error,
    again: () => void refetch(),
  }
}

export type Writing = Pick<Checking, 'faults' | 'times' | 'timed' | 'paths'> & {
  /** Somebody wanted to save it: what is missing is wrong from then on. */
  isTried: boolean
  /** Names that steps have already. */
  taken: ReadonlySet<string>
}

const nothing: Writing = { faults: [], times: [], timed: [], paths: [], isTried: false, taken: new Set() }

export const WritingContext = createContext<Writing>(nothing)

export function useWriting(): Writing {
  return useContext(WritingContext)
}

const isAt = (path: string, place: string) =>
  path === place || path.startsWith(`${place}.`) || path.startsWith(`${place}[`)

/** At a place or below it. */
export function faultsAt(faults: readonly Fault[], place: string): readonly Fault[] {
  return faults.filter(({ path }) => isAt(path, place))
}

/** What is expected goes on after "must be". */
export function faultWords({ expected }: Fault, where: string): string {
  const words = expected === 'present' ? 'is needed' : `must be ${expected}`
  return where ? `${where}: ${words}` : `It ${words}`
}

/** What is wrong with a field; what was not filled in yet is not wrong yet. */
export function useFault(place: string, isEmpty: boolean): string | undefined {
  const { faults, isTried } = useWriting()
  const [first] = faultsAt(faults, place)
  if (!first || (isEmpty && !isTried)) return undefined
  const inside = first.path.slice(place.length).replace(/^\./, '')
  return faultWords(first, inside)
}

/** Of a card: what no field in it shows, and nothing of the cards inside it. */
export function useCardFaults(place: string, shown: readonly string[]): readonly Fault[] {
  const { faults } = useWriting()
  return faultsAt(faults, place).filter(({ path }) => {
    const inside = path.slice(place.length + 1)
    return !/^(steps|else)\.\d/.test(inside) && !shown.some(name => isAt(inside, name))
  })
}

/** Numbers of a place in the order of the page: what a step gives is there for those after it. */
function orderOf(place: string): number[] {
  return place
    .split('.')
    .flatMap(part => (part === 'steps' ? [0] : part === 'else' ? [1] : [Number.parseInt(part, 10)]))
}

function comesBefore(one: string, other: string): boolean {
  const [first, second] = [orderOf(one), orderOf(other)]
  const at = first.findIndex((number, index) => number !== second[index])
  return at < 0 ? first.length < second.length : (first[at] ?? 0) < (second[at] ?? -1)
}

/** The paths that can be written at a step, or in what comes before all steps. */
export function usePathsAt(place: string | null): Checked['paths'] {
  const { paths } = useWriting()
  return paths.filter(({ from }) => from === null || (place !== null && comesBefore(from, place)))
}
