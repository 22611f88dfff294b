// The directory of records: what every reader of "any record" knows of its kind, so that areas need not know each other.
import type { TSchema } from 'typebox'
import { type Area, type Operation, pathOf } from './operation.ts'

/** Columns are named as the database names them. Every such table has `workspace_id`, `created` and `updated`. */
export type RecordKind = {
  /** The form of its ids. */
  id: TSchema
  table: string
  /** The column of the id; `id` where nothing is said. */
  key?: string
  /** The column that names it to people, or several that do so together. */
  title: string | readonly string[]
  /** The column of its number, where people call it by one: `#412`. */
  number?: string
  /** Where title and text stand in another table: which one, and the column here that holds the id there. */
  told?: { table: string; by: string }
  /** Columns with its text. Their words stand in `search`, a generated tsvector under a GIN index. */
  search?: readonly string[]
  /** The column of the moment from which on searches leave it out; null while it is shown. */
  hiddenFrom?: string
  /** It has `owner_id`. When its owner leaves, it passes to the owner of the workspace, or `ends`. */
  owned?: true | 'ends'
  /**
   * It has `visibility`, `owner_id` and `team_id`; `kit/visibility.ts` says who sees it. Or it is seen as the record of
   * another table is: which one, and the column here that holds the id there.
   */
  visibility?: true | { table: string; by: string }
  /** The column of the record that it stands below, of its own kind; whose it is says nothing of who owns that one. */
  below?: string
  labels?: true
  /** People can rate it; `reasoned`: who finds it bad must say why. Its records show `ratingOf` (`kit/rating_sql.ts`). */
  ratings?: true | 'reasoned'
  /** The column of the thread that made it, whose own runs may not rate it. */
  ofThread?: string
  /** What the ids of its operations begin with, where that is more than the area: `issues.notes`. */
  at?: string
}

/** What rows of a table hang on: kinds that take labels or ratings, or any kind. */
export type Takes = 'labels' | 'ratings' | 'any'

/** What an area says about its tables; laws hold it against the database. */
export type AreaRecords = {
  records?: Readonly<Record<string, RecordKind>>
  /** `table.column` → the kind whose id it holds, `kind[]` for several: emptied when that record goes. */
  refers?: Readonly<Record<`${string}.${string}`, string>>
  /** Tables with `workspace_id`, `object` and `record_id`, whose rows go with the record that they hang on. */
  attaches?: Readonly<Record<string, Takes>>
}

export type Kind = RecordKind & {
  object: string
  area: string
  /** Who may call this may read the record. */
  read: Operation
  /** Who may call this may put labels on it; every kind that takes labels has it. */
  change: Operation | undefined
}

export type Directory = {
  kinds: ReadonlyMap<string, Kind>
  refers: readonly { table: string; column: string; object: string; isList: boolean }[]
  attaches: readonly { table: string; takes: Takes }[]
}

export function directoryOf(areas: readonly Area[]): Directory {
  const kinds = areas.flatMap(area => Object.entries(area.records).map(([object, kind]) => kindOf(area, object, kind)))
  return {
    kinds: new Map(kinds.map(kind => [kind.object, kind])),
    refers: areas.flatMap(({ refers }) =>
      Object.entries(refers).map(([place, object]) => {
        const [table = '', column = ''] = place.split('.')
        return { table, column, object: object.replace(/\[\]$/, ''), isList: object.endsWith('[]') }
      }),
    ),
    attaches: areas.flatMap(({ attaches }) => Object.entries(attaches).map(([table, takes]) => ({ table, takes }))),
  }
}

function kindOf({ name, operations }: Area, object: string, kind: RecordKind): Kind {
  const prefix = kind.at ?? name
  const [read, change] = [operations[`${prefix}.get`], operations[`${prefix}.patch`]]
  if (!read) throw new Error(`records of the kind ${object} need an operation ${prefix}.get that shows one`)
  if (kind.labels && !change) throw new Error(`records of the kind ${object} take labels and need ${prefix}.patch`)
  if (kind.owned && typeof kind.visibility === 'object') {
    throw new Error(
      `records of the kind ${object} are seen as others are: who owns those decides, not an owner of their own`,
    )
  }
  return { ...kind, object, area: name, read, change }
}

/** Where a record is shown, below the base address. */
export function addressOf({ read }: Kind, workspaceId: string, id: string): string {
  return pathOf(read).replace(/\{(\w+)\}/g, (_, name) => (name === 'workspaceId' ? workspaceId : id))
}

/** How a record is named among the resources of agents. */
export function uriOf({ object }: Kind, workspaceId: string, id: string): string {
  return `atrium://${workspaceId}/${object}/${id}`
}
