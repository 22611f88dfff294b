// What can be written next at the caret of a filter: fields, the names of attributes, operators, values.
import { celField, celValue } from './cel.ts'

export type KnownField = { name: string; type: string; seen: number }

/** `typed` from `from` on gives way to what is chosen. */
export type Wanted = { from: number; typed: string } & (
  | { kind: 'field' | 'method' | 'joint' }
  | { kind: 'key'; owner: string }
  | { kind: 'operator' | 'value'; field: string }
)

/** `back` is how far before its end the caret goes. */
export type Offer = { text: string; label: string; about: string; back?: number }

const name = String.raw`[A-Za-z_]\w*(?:\["(?:[^"\\]|\\.)*"\])?`
const patterns = {
  key: /\b(attributes|resource)\[\s*"((?:[^"\\]|\\.)*)$/,
  value: new RegExp(String.raw`(${name})\s*(?:==|!=)\s*("?(?:[^"\\\s]|\\.)*|"(?:[^"\\]|\\.)*)$`),
  method: new RegExp(String.raw`(${name})\.(\w*)$`),
  operator: new RegExp(String.raw`(?:^|[\s(!])(${name})\s+([=!<>]*)$`),
  joint: /(?:["\])\d]|\btrue|\bfalse|\bnull)\s+([&|]*)$/,
  field: /(?:^|[\s(!&|])([A-Za-z_][\w.]*)?$/,
}

const words = new Set(['in', 'true', 'false', 'null', 'has', 'timestamp'])

export function wantedAt(text: string, caret: number): Wanted | null {
  const before = text.slice(0, caret)
  const at = (typed: string) => ({ from: caret - typed.length, typed })
  const key = patterns.key.exec(before)
  if (key) return { kind: 'key', owner: key[1] ?? '', ...at(key[0]), typed: key[2] ?? '' }
  const value = patterns.value.exec(before)
  if (value && isWholeField(value[1])) return { kind: 'value', field: value[1] ?? '', ...at(value[2] ?? '') }
  if (isInText(before)) return null
  const method = patterns.method.exec(before)
  if (method && isWholeField(method[1]))
    return { kind: 'method', from: caret - (method[2] ?? '').length - 1, typed: method[2] ?? '' }
  const operator = patterns.operator.exec(before)
  if (operator && isWholeField(operator[1]))
    return { kind: 'operator', field: operator[1] ?? '', ...at(operator[2] ?? '') }
  if (/[<>]=?\s*$/.test(before)) return null
  const joint = patterns.joint.exec(before)
  if (joint) return { kind: 'joint', ...at(joint[1] ?? '') }
  const field = patterns.field.exec(before)
  return field ? { kind: 'field', ...at(field[1] ?? '') } : null
}

const isWholeField = (text = '') => !words.has(text) && text !== 'attributes' && text !== 'resource'

/** An odd number of quotes. */
const isInText = (text: string) => (text.replace(/\\./g, '').match(/"/g)?.length ?? 0) % 2 === 1

const compared: readonly Offer[] = [
  { text: '== ', label: '==', about: 'is' },
  { text: '!= ', label: '!=', about: 'is not' },
  { text: '> ', label: '>', about: 'more than' },
  { text: '>= ', label: '>=', about: 'at least' },
  { text: '< ', label: '<', about: 'less than' },
  { text: '<= ', label: '<=', about: 'at most' },
  { text: 'in [""]', label: 'in […]', about: 'is one of', back: 2 },
]

const methods: readonly Offer[] = [
  { text: '.contains("")', label: '.contains("…")', about: 'has this in it', back: 2 },
  { text: '.startsWith("")', label: '.startsWith("…")', about: 'begins with', back: 2 },
  { text: '.endsWith("")', label: '.endsWith("…")', about: 'ends with', back: 2 },
]

const joints: readonly Offer[] = [
  { text: '&& ', label: '&&', about: 'and' },
  { text: '|| ', label: '||', about: 'or' },
]

const most = 8

export function offersFor(wanted: Wanted, fields: readonly KnownField[], values: readonly unknown[]): readonly Offer[] {
  const typed = wanted.typed.toLowerCase()
  switch (wanted.kind) {
    case 'operator':
      return compared.filter(({ text }) => text.startsWith(typed))
    case 'method':
      return methods.filter(({ text }) => text.toLowerCase().startsWith(`.${typed}`))
    case 'joint':
      return joints.filter(({ text }) => text.startsWith(typed))
    case 'value':
      return valueOffers(values, typed)
    case 'key':
      return fieldOffers(
        fields.filter(field => field.name.startsWith(`${wanted.owner}.`)),
        typed,
      )
    case 'field':
      return fieldOffers(fields, typed)
  }
}

function valueOffers(values: readonly unknown[], typed: string): Offer[] {
  const bare = typed.replace(/^"/, '')
  return values
    .flatMap(value => {
      const text = celValue(value)
      return text !== null && String(value).toLowerCase().includes(bare) && text.toLowerCase() !== typed
        ? [{ text, label: text, about: 'value' }]
        : []
    })
    .slice(0, most)
}

/** Those that begin with what is typed come first, then those that have it in them. */
function fieldOffers(fields: readonly KnownField[], typed: string): Offer[] {
  const rank = (field: string) => {
    const at = field.toLowerCase().indexOf(typed)
    if (at < 0) return -1
    return at === 0 || field.toLowerCase().endsWith(`.${typed}`) ? 2 : 1
  }
  return fields
    .filter(field => field.name !== '*' && rank(field.name) > 0)
    .sort((one, other) => rank(other.name) - rank(one.name))
    .map(field => ({ text: celField(field.name), label: celField(field.name), about: field.type }))
    .filter(({ text }) => text.toLowerCase() !== typed)
    .slice(0, most)
}
