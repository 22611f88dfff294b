// Reads fields of answers by their path, alike in XML, where everything is text, and in JSON.
import { at, entriesOf, flagOf, numberOf, tagsOf, textOf } from '../values.ts'
import { AwsFault } from './faults.ts'

export function value(from: unknown, path: string): unknown {
  return path === '' ? from : at(from, ...path.split('.'))
}

export function text(from: unknown, path: string): string | undefined {
  return textOf(value(from, path))
}

/** What cannot be missing: without it nobody would know which thing is meant. */
export function needed(from: unknown, path: string): string {
  const found = text(from, path)
  if (found === undefined) throw new AwsFault('malformed', `an answer lacks ${path}`)
  return found
}

export function number(from: unknown, path: string): number | undefined {
  const found = value(from, path)
  return typeof found === 'string' && /^-?\d{1,15}(\.\d{1,6})?$/.test(found) ? Number(found) : numberOf(found)
}

export function flag(from: unknown, path: string): boolean | undefined {
  const found = value(from, path)
  if (typeof found !== 'string') return flagOf(found)
  return /^true$/i.test(found) ? true : /^false$/i.test(found) ? false : undefined
}

/** One element of XML alone looks like no list. */
export function list(from: unknown, path: string, most = 10_000): readonly unknown[] {
  const found = value(from, path)
  if (Array.isArray(found)) return found.slice(0, most)
  return found === undefined || found === null || found === '' ? [] : [found]
}

export function texts(from: unknown, path: string, field = '', most = 200): string[] {
  return list(from, path, most).flatMap(one => text(one, field) ?? [])
}

/** Of pairs in a list; EC2 and ECS write the names of the two in lower case. */
export function tagPairs(from: unknown, path: string, [name, content] = ['Key', 'Value']): Record<string, string> {
  const pairs = list(from, path, 200).map(pair => [text(pair, name), value(pair, content)] as const)
  return tagsOf(Object.fromEntries(pairs.filter(([key]) => key !== undefined)))
}

export function tagMap(from: unknown, path: string): Record<string, string> {
  return tagsOf(Object.fromEntries(entriesOf(value(from, path), 200)))
}
