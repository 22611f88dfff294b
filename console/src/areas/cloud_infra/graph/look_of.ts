// What the address says about the picture: which nodes are opened, when, how they are grouped and coloured.
import { useLook } from '../../../table/look.ts'
import { type Colouring, colourings } from './tones.ts'

export const groupings = { none: 'Nothing', account: 'Account', region: 'Region', type: 'Type' } as const
export type Grouping = keyof typeof groupings

export const spans = {
  day: ['1 day', 1],
  week: ['7 days', 7],
  month: ['30 days', 30],
  quarter: ['90 days', 90],
} as const
export type Span = keyof typeof spans

export type PictureLook = { nodes?: string; group?: string; colour?: string; at?: string; span?: string }

const isOf = <K extends string>(known: Readonly<Record<K, unknown>>, value: string | undefined): value is K =>
  value !== undefined && Object.hasOwn(known, value)

const mostOpened = 30
const dayMs = 86_400_000

/** What is not known is taken for what is usual. */
export function usePictureLook() {
  const [look, set] = useLook<PictureLook>()
  const ids = [...new Set(String(look.nodes ?? '').split(','))].filter(id => /^node_\w+$/.test(id)).slice(0, mostOpened)
  const at = look.at !== undefined && !Number.isNaN(Date.parse(look.at)) ? look.at : undefined
  const put = (changed: { [K in keyof PictureLook]?: string | undefined }) => set(changed as PictureLook)
  return {
    ids,
    at,
    group: isOf(groupings, look.group) ? look.group : ('none' satisfies Grouping),
    colour: isOf(colourings, look.colour) ? look.colour : ('tier' satisfies Colouring as Colouring),
    span: isOf(spans, look.span) ? look.span : ('week' satisfies Span as Span),
    put,
    open: (id: string) => put({ nodes: [...ids, id].join(',') }),
    close: (id: string) => put({ nodes: ids.filter(one => one !== id).join(',') }),
    begin: (id: string) => put({ nodes: id }),
  }
}

export type Picturing = ReturnType<typeof usePictureLook>

export function spanMs(span: Span): number {
  return spans[span][1] * dayMs
}
