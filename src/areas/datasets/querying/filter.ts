// A filter in CEL → the condition that engines answer.
import { Type } from 'typebox'
import { badRequest } from '../../../contract/errors.ts'
import { object, timestamp } from '../../../contract/records.ts'
import { type CelNode, checkedField } from '../../../kit/cel.ts'
import { momentOf } from '../../../kit/cel_functions.ts'
import { nanosOf } from '../../../kit/nanoseconds.ts'
import { columnsOf } from '../rows/columns.ts'
import type { Condition, Field, Order, Part, Scalar } from '../rows/condition.ts'
import { type DatasetKind, kinds } from '../rows/row.ts'

const anything = { type: 'object' }

/** What a filter may speak of, for each kind of dataset. */
export const rootsOf = Object.fromEntries(
  kinds.map(kind => [
    kind,
    object({
      at: timestamp,
      ...Object.fromEntries(
        columnsOf[kind].map(({ name, type }) => [name, type === 'number' ? Type.Number() : Type.String()]),
      ),
      attributes: Type.Unsafe<object>(anything),
      resource: Type.Unsafe<object>(anything),
    }),
  ]),
) as unknown as Readonly<Record<DatasetKind, object>>

/** 400 with the position where it does not check, or asks for more than engines answer. */
export function conditionOf(kind: DatasetKind, text: string | undefined, field = 'filter'): Condition | null {
  if (text === undefined || text.trim() === '') return null
  const { tree } = checkedField(field, text, rootsOf[kind])
  return translate(tree, { kind, text, field })
}

type Place = { kind: DatasetKind; text: string; field: string }

function translate(node: CelNode, place: Place): Condition {
  switch (node.op) {
    case '&&':
    case '||':
      return { is: node.op === '&&' ? 'and' : 'or', parts: node.args.map(part => translate(part, place)) }
    case '!_':
      return { is: 'not', part: translate(node.args, place) }
    case '==':
    case '!=': {
      const equal = equality(node, node.args, place)
      return node.op === '==' ? equal : { is: 'not', part: equal }
    }
    case '<':
    case '<=':
    case '>':
    case '>=':
      return ordering(node, node.op, node.args, place)
    case 'in':
      return membership(node, node.args, place)
    case 'call':
      if (node.args[0] === 'has') return { is: 'isSet', field: fieldAt(node.args[1][0] ?? node, place) }
      break
    case 'rcall':
      return part(node, node.args, place)
    case 'value':
      if (typeof node.args === 'boolean') return { is: 'constant', value: node.args }
      break
  }
  throw refused(node, place, 'compare a field with a value, such as severity == "error"')
}

function refused(node: CelNode, { text, field }: Place, what: string): Error {
  const before = text.slice(0, node.pos).split('\n')
  const where = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
  return badRequest(`${field} cannot be asked of rows: ${what} (${where}).`, [
    { path: `/${field}`, rule: 'expression', expected: `${where}: ${what}` },
  ])
}

/** Undefined where the node is no field. */
function fieldOf(node: CelNode, { kind }: Place): Field | undefined {
  if (node.op === 'id') return namedField(kind, node.args)
  if (node.op !== '.' && node.op !== '[]') return undefined
  const [owner, key] = node.args
  if (owner.op !== 'id' || (owner.args !== 'attributes' && owner.args !== 'resource')) return undefined
  const name = typeof key === 'string' ? key : key.op === 'value' ? key.args : undefined
  return typeof name === 'string' ? { is: 'attribute', of: owner.args, key: name } : undefined
}

/** As `groupBy` and aggregates write it: `service`, `attributes.http.route`. */
export function namedField(kind: DatasetKind, name: string): Field | undefined {
  if (name === 'at') return { is: 'at' }
  const column = columnsOf[kind].find(one => one.name === name)
  if (column) return { is: 'column', ...column }
  const [, of, key] = /^(attributes|resource)\.(.+)$/s.exec(name) ?? []
  return of === undefined || key === undefined
    ? undefined
    : { is: 'attribute', of: of as 'attributes' | 'resource', key }
}

function fieldAt(node: CelNode, place: Place): Field {
  const field = fieldOf(node, place)
  if (!field) throw refused(node, place, 'this must be a field, such as service or attributes["http.route"]')
  return field
}

type Value = Scalar | bigint | null

/** Undefined where the node is no value that is written out. A bigint is a time. */
function writtenValue(node: CelNode): Value | undefined {
  if (node.op === '-_') {
    const inner = writtenValue(node.args)
    return typeof inner === 'number' ? -inner : undefined
  }
  if (node.op === 'call' && node.args[0] === 'timestamp') {
    const given = node.args[1][0]
    const moment = given?.op === 'value' && typeof given.args === 'string' ? momentOf(given.args) : undefined
    return moment && nanosOf(moment)
  }
  if (node.op !== 'value') return undefined
  const value = node.args
  if (typeof value === 'bigint') return Number(value)
  return value === null || ['string', 'number', 'boolean'].includes(typeof value) ? (value as Value) : undefined
}

/** A field and a value, whichever way round they stand. */
function sides(node: CelNode, [left, right]: readonly [CelNode, CelNode], place: Place) {
  const [field, value] = [fieldOf(left, place), writtenValue(right)]
  if (field && value !== undefined) return { field, value, isTurned: false }
  const [otherField, otherValue] = [fieldOf(right, place), writtenValue(left)]
  if (otherField && otherValue !== undefined) return { field: otherField, value: otherValue, isTurned: true }
  throw refused(node, place, 'compare a field with a value that is written out')
}

function equality(node: CelNode, args: readonly [CelNode, CelNode], place: Place): Condition {
  const { field, value } = sides(node, args, place)
  if (value === null) return { is: 'not', part: { is: 'isSet', field } }
  return canEqual(field, value) ? { is: 'equal', field, value } : { is: 'constant', value: false }
}

function canEqual(field: Field, value: Scalar | bigint): boolean {
  if (field.is === 'at') return typeof value === 'bigint'
  if (field.is === 'attribute') return typeof value !== 'bigint'
  return typeof value === (field.type === 'number' ? 'number' : 'string')
}

const turned: Readonly<Record<Order, Order>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' }

function ordering(node: CelNode, op: Order, args: readonly [CelNode, CelNode], place: Place): Condition {
  const { field, value, isTurned } = sides(node, args, place)
  const isTime = typeof value === 'bigint'
  if (value === null || typeof value === 'boolean' || isTime !== (field.is === 'at')) {
    throw refused(node, place, 'numbers are compared with numbers, texts with texts, and at with timestamp("…")')
  }
  return { is: 'order', op: isTurned ? turned[op] : op, field, value }
}

function membership(node: CelNode, [value, among]: readonly [CelNode, CelNode], place: Place): Condition {
  if (among.op !== 'list')
    throw refused(node, place, 'a field is among values that are written out: name in ["a", "b"]')
  const field = fieldAt(value, place)
  const values = among.args.map(writtenValue)
  if (field.is === 'at' || values.some(one => one == null || typeof one === 'bigint')) {
    throw refused(node, place, 'the list holds texts, numbers, true and false')
  }
  const possible = (values as Scalar[]).filter(one => canEqual(field, one))
  return { is: 'among', field, values: possible }
}

const parts: readonly string[] = ['contains', 'startsWith', 'endsWith']

function part(node: CelNode, [name, receiver, given]: readonly [string, CelNode, CelNode[]], place: Place): Condition {
  const value = given[0] && writtenValue(given[0])
  if (!parts.includes(name) || typeof value !== 'string') {
    throw refused(node, place, `texts are searched by ${parts.join(', ')}`)
  }
  const field = fieldAt(receiver, place)
  if (field.is === 'at') throw refused(node, place, 'at is compared with timestamp("…")')
  return { is: 'part', how: name as Part, field, value }
}
