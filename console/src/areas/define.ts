// What an area says about its pages beyond its contract; an area that says nothing has pages all the same.
import type { LucideIcon } from 'lucide-react'
import { Layers } from 'lucide-react'
import type { ComponentType, ReactNode } from 'react'
import type { Role } from '../../../src/client/catalogue.ts'
import { idIn, indexedArea, indexedAreas } from '../contract.ts'
import type { FieldHint } from '../form/field.ts'
import { labelOfField, wordsOf } from '../format.ts'
import type { Row } from '../named.ts'
import type { FilterChoices } from '../table/filter_editor.tsx'
import { keyOf, singular } from './schema.ts'

export const groups = ['Areas', 'Access', 'Workspace'] as const
export type Group = (typeof groups)[number]

/** A list with filters chosen beforehand. */
export type View = { title: string; search: Readonly<Record<string, string | readonly string[]>> }

export type Waiting = { listId: string; input: Row; words: string }

export type Viewer = { id: string; role: Role | null }

export type ActHint = {
  label?: string
  icon?: LucideIcon
  /** What happens then, in the dialog. */
  about?: ReactNode
  fields?: readonly (string | FieldHint)[]
  done?: string
  isOffered?: (record: Row, viewer: Viewer) => boolean
  /** Instead of the dialog that the contract gives. */
  dialog?: ComponentType<{ record: Row; onClose: () => void }>
  touches?: readonly string[]
  /** Not offered: it is done elsewhere. */
  isHidden?: true
  /** The page of what came of it, below the workspace: `threads/thrd_…`. */
  leadsTo?: (result: Row) => string
  /** The record is not there any more afterwards, although it is no delete. */
  isGone?: true
}

/** A change with a fixed input, offered in the menu of a record: "Suspend". */
export type Preset = {
  label: string
  icon?: LucideIcon
  input: Row
  done: string
  isOffered: (record: Row, viewer: Viewer) => boolean
}

export type CellProps = { record: Row; value: unknown }

/** Named `about` or like a sub-resource, it stands in the place of the one that the contract gives. */
export type Tab = {
  name: string
  title: string
  view: ComponentType<{ record: Row }>
  isShown?: (record: Row) => boolean
}

/** Another way to show a list; `input` is what the filters say. */
export type Layout = {
  name: string
  title: string
  icon: LucideIcon
  view: ComponentType<{ input: Row }>
  /** The filters of the list have nothing to do with it. */
  isAlone?: true
}

/** What is loaded when the area is opened. */
export type Views = {
  cells?: Readonly<Record<string, ComponentType<CellProps>>>
  /** Facts that are no field of the record, or drawn otherwise. */
  facts?: Readonly<Record<string, ComponentType<CellProps>>>
  acts?: Readonly<Record<string, ActHint>>
  presets?: readonly Preset[]
  tabs?: readonly Tab[]
  /** Before what can be done with a record. */
  lead?: ComponentType<{ record: Row }>
  /** Above the facts of a record. */
  notice?: ComponentType<{ record: Row }>
  /** How a secret that was just made is used. */
  secretUse?: ComponentType<{ secret: string; record: Row }>
  /** Beside the table. */
  layouts?: readonly Layout[]
  /** In place of the button that leads to a new record. */
  actions?: ComponentType
  above?: ComponentType
  below?: ComponentType
  /** Values for filters that only the area knows; called as a hook. */
  useChoices?: () => FilterChoices
  form?: ComponentType
  list?: ComponentType
  record?: ComponentType<{ id: string }>
}

/** What a list below a record says about itself. */
export type SubPage = {
  title?: string
  one?: string
  columns?: readonly string[]
  labels?: Readonly<Record<string, string>>
  none?: string
  /** What ending one of them is called, and what it does. */
  remove?: string
  removal?: string
}

export type AreaPage = {
  title?: string
  /** One of them: "API key". */
  one?: string
  about?: string
  /** What the list says while it is empty. */
  none?: string
  /** Its part of the address, where that is not its name. */
  path?: string
  icon?: LucideIcon
  group?: Group
  /** Records that wait for a person: how many there are stands in the menu. */
  waiting?: Waiting
  /** Of an area without a list: the verb of the operation that its page reads. */
  reads?: string
  /** Not in the menu: its records are shown on the pages of others. */
  isHidden?: true
  /** Its place in the group; those that say nothing come last, by name. */
  order?: number
  /** Further words by which it is found. */
  words?: string
  /** `g` and this letter lead to it. */
  letter?: string
  /** Fields in the list, the first of which leads to the record. */
  columns?: readonly string[]
  /** Fields that are not shown on the record's page. */
  hidden?: readonly string[]
  labels?: Readonly<Record<string, string>>
  /** Fields of the forms, in order. */
  fields?: readonly (string | FieldHint)[]
  titleOf?: (record: Row) => string
  subs?: Readonly<Record<string, SubPage>>
  /** False where it is changed elsewhere than on the record's page. */
  isEditable?: false
  /** How the list is sorted where the address says nothing. */
  usual?: Row
  saved?: readonly View[]
  /** Fields that can be changed for many records at once. */
  bulkFields?: readonly string[]
  /** What single keys do on the page of a record. */
  keys?: Readonly<Record<string, string>>
  views?: () => Promise<{ views: Views }>
}

export function defineArea(page: AreaPage): AreaPage {
  return page
}

const declared = import.meta.glob<{ page: AreaPage }>('./*/page.tsx', { eager: true })

export type Place = Required<Pick<AreaPage, 'title' | 'one' | 'path' | 'icon' | 'group'>> & AreaPage & { area: string }

function placeOf(area: string): Place {
  const page = declared[`./${area}/page.tsx`]?.page ?? {}
  return { title: wordsOf(area), one: singular(area), path: area, icon: Layers, group: 'Areas', ...page, area }
}

/** The operation without which there is nothing to see. */
export function readingOf({ area, reads = 'list' }: Pick<Place, 'area' | 'reads'>): string {
  return idIn(area, reads)
}

/** Areas with a list in a workspace, or with a page that reads something else, as the menu shows them. */
export const places: readonly Place[] = indexedAreas
  .filter(({ name, at, operations }) => {
    const { reads } = declared[`./${name}/page.tsx`]?.page ?? {}
    if (reads) return idIn(name, reads) in operations
    const route = operations[idIn(name, 'list')]?.route ?? ''
    return at ? /\/\{workspaceId\}\/\w+$/.test(route) : route.endsWith('/{workspaceId}')
  })
  .map(({ name }) => placeOf(name))
  .sort((one, other) => (one.order ?? 99) - (other.order ?? 99) || one.title.localeCompare(other.title))

/** By its part of the address. */
export function placeAt(path: string): Place | undefined {
  return places.find(place => place.path === path) ?? places.find(place => place.area === path)
}

export function placeOfArea(area: string): Place | undefined {
  return places.find(place => place.area === area)
}

export function labelOf(place: Pick<Place, 'labels'>, name: string): string {
  return place.labels?.[name] ?? labelOfField(name)
}

/** Where the directory of records knows none. */
const titles = ['name', 'title', 'subject', 'summary', 'email']

/** What a person calls a record. */
export function titleOf(area: string, record: Row): string {
  const own = placeOfArea(area)?.titleOf
  if (own) return own(record)
  const told = (indexedArea(area)?.title ?? [])
    .map(name => record[name])
    .filter(part => typeof part === 'string' && part)
  if (told.length > 0) return told.join(' ')
  const field = titles.find(name => typeof record[name] === 'string' && record[name] !== '')
  return String(record[field ?? keyOf(area)] ?? '')
}
