// What the archive of a workspace carries of each table, and what stays behind: declared by areas, held by a law.
import type { Area } from './operation.ts'

type Value = string | number | boolean | null

/**
 * What a column says in an archive in place of what would act by itself where the archive is read: value → value, `*`
 * for any; or `is` where the column `when` is true.
 */
export type Stilled = Values | Conditional

export type Values = Readonly<Record<string, Value>>

type Conditional = { readonly when: string; readonly is: Value }

/** Columns are named as the database names them; those that are not named here are carried as they are. */
export type Carried = {
  /** Columns that stay behind: they get their default where the archive is read. */
  without?: readonly string[]
  /** Columns that hold secrets: they stay behind, and the archive says which were set. */
  secrets?: readonly string[]
  stilled?: Readonly<Record<string, Stilled>>
  /** Columns without a foreign key that hold the id of a row of this table: no row comes without it. */
  within?: Readonly<Record<string, string>>
  /** A row in which this column is empty is not of the workspace yet, but somebody's own: it stays behind. */
  needs?: string
  /** A row in which this column is set ends with what it names, which stays behind. */
  unless?: string
  /** Its rows have files by their `sha256`, which come along. */
  hasFiles?: true
}

export type AreaCarries = {
  carries?: Readonly<Record<string, Carried>>
  /** Table → why an archive does not carry it. */
  leaves?: Readonly<Record<string, string>>
}

export type CarriedTable = Carried & { table: string; area: string }

/** All carried tables, by the order of their areas. */
export function carriedBy(areas: readonly Area[]): readonly CarriedTable[] {
  return areas.flatMap(({ name, carries }) =>
    Object.entries(carries).map(([table, carried]) => ({ ...carried, table, area: name })),
  )
}

export function leftBehindBy(areas: readonly Area[]): ReadonlyMap<string, string> {
  return new Map(areas.flatMap(({ leaves }) => Object.entries(leaves)))
}

/** An archive of ours never holds these: whoever put them there wants something to happen. */
export function isUnstilled(stilled: Stilled, value: unknown): boolean {
  if (isConditional(stilled)) return false
  const values = stilled as Values
  return Object.hasOwn(values, '*') ? value !== values['*'] : Object.hasOwn(values, String(value))
}

export function isConditional(stilled: Stilled): stilled is Conditional {
  return 'when' in stilled
}
