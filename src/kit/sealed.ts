// What a record keeps of others' secrets: each value sealed for its column, its record and its name.
import type { SealedColumn } from '../contract/sealed.ts'
import type { Settings } from './settings.ts'

/** As the jsonb column has it: name → sealed value. */
export type SealedValues = Readonly<Record<string, string>>

const about = (recordId: string, name: string) => `${recordId} ${name}`

export function sealValues(
  { seal }: Pick<Settings, 'seal'>,
  column: SealedColumn,
  recordId: string,
  values: Readonly<Record<string, string>>,
): SealedValues {
  const entries = Object.entries(values).map(([name, text]) => [name, seal(column, text, about(recordId, name))])
  return Object.fromEntries(entries)
}

export function openValues(
  { open }: Pick<Settings, 'open'>,
  column: SealedColumn,
  recordId: string,
  values: SealedValues,
): Record<string, string> {
  const entries = Object.entries(values).map(([name, text]) => [name, open(column, text, about(recordId, name))])
  return Object.fromEntries(entries)
}

/** What the record shows of them. */
export function namesSet(values: SealedValues): string[] {
  return Object.keys(values).sort()
}
