// Settings of an archive: only such as somebody could set here.
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Settings } from '../contract.ts'
import { tampered } from './archive_file.ts'

const fields: Readonly<Record<string, TSchema>> = Settings.properties

export function refuseSettings(settings: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(settings)) {
    const schema = Object.hasOwn(fields, name) && name !== 'secretsSet' ? fields[name] : undefined
    if (!schema || !Compile(schema).Check(value)) throw tampered(`its setting "${name}" is none`)
  }
}
