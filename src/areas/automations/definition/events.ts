// What triggers can hear, and which record each event is about.
import { directory, operation } from '../../../operations.ts'
import { eventKinds, isMeant } from '../../integrations/event_kinds.ts'
import { oneOf, type Schema, unknown } from './json_types.ts'
import { didYouMean } from './near.ts'

/** What the event must be instead, or null. */
export function eventFault(glob: string): string | null {
  const known = [...eventKinds.keys()]
  if (known.some(id => isMeant(glob, id))) return null
  const near = didYouMean(glob, glob.endsWith('*') ? known.flatMap(partsOf) : known)
  return `an operation that changes something or an event, such as issues.post, or a part such as issues.*${near}`
}

/** `issues.*` and `issues.notes.*` of issues.notes.post. */
function partsOf(id: string): string[] {
  const names = id.split('.')
  return names.slice(1).map((_, index) => `${names.slice(0, index + 1).join('.')}.*`)
}

/** Undefined where there is none when the event is heard. What a part of the events does not tell, the others do. */
export function recordHeard(glob: string): Schema | undefined {
  if (glob === '*') return unknown
  const records = [...eventKinds.keys()].filter(id => isMeant(glob, id)).map(recordOf)
  const told = records.flatMap(record => (typeof record === 'object' ? [record] : []))
  if (told.length > 0) return oneOf(told)
  return records.length > 0 && records.every(record => record === 'none') ? undefined : unknown
}

/** The kind is that of what the operation answers; of an event, the only kind that the area keeps under its name. */
function recordOf(id: string): Schema | 'none' | 'untold' {
  if (id.endsWith('.del')) return 'none'
  const made = operation(id)
  const answered = (made?.result as Schema | undefined)?.properties?._object?.enum?.[0]
  if (typeof answered === 'string' && directory.kinds.has(answered)) return recordOfKind(answered)
  const isAboutOne = made === undefined || (made.path !== undefined && 'id' in made.path.properties)
  if (answered !== undefined || !isAboutOne) return 'untold'
  const place = id.slice(0, id.lastIndexOf('.'))
  const kinds = [...directory.kinds.values()].filter(kind => (kind.at ?? kind.area) === place)
  return kinds.length === 1 && kinds[0] ? recordOfKind(kinds[0].object) : 'untold'
}

/** What takes more than one id to be read is not read. */
export function recordOfKind(object: string): Schema | 'none' {
  const read = directory.kinds.get(object)?.read
  const ids = Object.keys(read?.path?.properties ?? {}).filter(name => name !== 'workspaceId')
  return read && ids.length === 1 ? (read.result as Schema) : 'none'
}
