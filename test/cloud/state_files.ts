// The states written by hand, and shorter ones for a single question.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, 'states')
export const files = readdirSync(folder).filter(name => name.endsWith('.tfstate'))

export function fileText(name: string): string {
  return readFileSync(join(folder, name), 'utf8')
}

/** Of version 4, with these resources. */
export function stateOf(...resources: Record<string, unknown>[]) {
  return { version: 4, lineage: 'l', serial: 1, resources: resources.map(one => ({ mode: 'managed', ...one })) }
}
