// Evaluates a checked expression for one record, with a bound on its work. What is not set is null, and so is what
// lies under it; an operator that needs a value of it has none itself, as in SQL, and `cel_sql.ts` says the same there.
import type { ASTNode } from '@marcbachmann/cel-js'
import {
  applied,
  type Budget,
  type Fault,
  fault,
  isFault,
  millisecondsOf,
  momentOf,
  reasonOf,
  type Span,
  span,
  spend,
  TooMuchWork,
} from './cel_functions.ts'
import { comprehensions, timestampType, typeOf } from './cel_types.ts'

type Names = { readonly name: string; readonly value: unknown; readonly outer: Names | undefined }

type Run = Budget & { readonly record: Readonly<Record<string, unknown>>; names: Names | undefined }

const mostWork = 400_000

export function run(tree: ASTNode, record: Readonly<Record<string, unknown>>): { value: unknown } | { reason: string } {
  try {
    const value = evaluate(tree, { record, names: undefined, left: mostWork })
    return isFault(value) ? { reason: reasonOf(value) } : { value }
  } catch (error) {
    // A record may be nested deeper than the stack is.
    if (error instanceof TooMuchWork || error instanceof RangeError)
      return { reason: 'The expression is too much work for this record.' }
    throw error
  }
}

function evaluate(node: ASTNode, run: Run): unknown {
  spend(run, 1)
  switch (node.op) {
    case 'value':
      return typeof node.args === 'bigint' ? Number(node.args) : node.args
    case 'id':
      return read(node, run, nameOf(node.args, run))
    case '.':
      return field(node, evaluate(node.args[0], run), node.args[1], run)
    case '[]':
      return element(node, run)
    case 'list':
      return all(node.args, run, values => values)
    case '&&':
      return logic(false, node.args, run)
    case '||':
      return logic(true, node.args, run)
    case '!_':
      return all([node.args], run, ([value]) => (typeof value === 'boolean' ? !value : unfit(node.args, value)))
    case '-_':
      return all([node.args], run, ([value]) => (typeof value === 'number' ? -value : unfit(node.args, value)))
    case '?:':
      return choice(node.args, run)
    case 'call':
      return node.args[0] === 'has' ? isSet(node.args[1][0], run) : call(node, node.args[0], node.args[1], run)
    case 'rcall':
      if (comprehensions.has(node.args[0])) return comprehend(node.args, run)
      return call(node, node.args[0], [node.args[1], ...node.args[2]], run)
    case '==':
    case '!=':
      return all(node.args, run, ([a, b]) => isEqual(a, b, run) === (node.op === '=='))
    case 'in':
      return all(node.args, run, ([value, among]) => isAmong(value, among, node.args[1], run))
    default:
      return all(node.args as ASTNode[], run, ([a, b]) => arithmetic(node, a, b, run))
  }
}

/** The values of these nodes, unless one has none. */
function all(nodes: readonly ASTNode[], run: Run, make: (values: unknown[]) => unknown): unknown {
  const values: unknown[] = []
  for (const node of nodes) {
    const value = evaluate(node, run)
    if (isFault(value)) return value
    values.push(value)
  }
  return make(values)
}

function unfit(node: ASTNode | undefined, value: unknown): Fault {
  const text = node ? node.input.slice(node.start, node.end).slice(0, 100) : 'a value'
  return fault(value === null ? `${text} is not set.` : `${text} has a value of another type.`)
}

function nameOf(name: string, run: Run): unknown {
  for (let names = run.names; names; names = names.outer) if (names.name === name) return names.value
  return Object.hasOwn(run.record, name) ? run.record[name] : null
}

function field(node: ASTNode, owner: unknown, name: string, run: Run): unknown {
  if (isFault(owner) || owner === null) return owner
  if (typeof owner !== 'object' || Array.isArray(owner)) return unfit(node, owner)
  return read(node, run, Object.hasOwn(owner, name) ? (owner as Record<string, unknown>)[name] : null)
}

function element(node: ASTNode & { op: '[]' }, run: Run): unknown {
  return all(node.args, run, ([owner, index]) => {
    if (owner === null) return null
    if (typeof index === 'string') return field(node, owner, index, run)
    if (!Array.isArray(owner) || typeof index !== 'number') return unfit(node, index)
    return read(node, run, owner[index] ?? null)
  })
}

/** A time stands in a record as text; the schema says that it is one. */
function read(node: ASTNode, run: Run, value: unknown): unknown {
  if (value === undefined) return null
  if (typeof value === 'bigint') return Number(value)
  if (typeof value !== 'string' || typeOf(node) !== timestampType) return value
  spend(run, 1)
  return momentOf(value) ?? unfit(node, value)
}

/** `&&` is decided by a false on either side, `||` by a true, even where the other side has no value. */
function logic(decisive: boolean, [left, right]: readonly [ASTNode, ASTNode], run: Run): unknown {
  const one = truth(left, run)
  if (one === decisive) return one
  const other = truth(right, run)
  if (other === decisive) return other
  return isFault(one) ? one : other
}

function truth(node: ASTNode, run: Run): boolean | Fault {
  const value = evaluate(node, run)
  return typeof value === 'boolean' || isFault(value) ? value : unfit(node, value)
}

function choice([condition, yes, no]: readonly [ASTNode, ASTNode, ASTNode], run: Run): unknown {
  const value = truth(condition, run)
  return isFault(value) ? value : evaluate(value ? yes : no, run)
}

function isSet(node: ASTNode | undefined, run: Run): unknown {
  const value = node ? evaluate(node, run) : null
  return isFault(value) ? value : value !== null
}

function isEqual(a: unknown, b: unknown, run: Run): boolean {
  spend(run, 1)
  if (a === b) return true
  if (typeof a === 'string' && typeof b === 'string') spend(run, Math.min(a.length, b.length) >> 4)
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (a instanceof Date || b instanceof Date) return a instanceof Date && b instanceof Date && +a === +b
  const [keys, others] = [Object.keys(a), Object.keys(b)]
  spend(run, keys.length)
  if (Array.isArray(a) !== Array.isArray(b) || keys.length !== others.length) return false
  const [one, other] = [a as Record<string, unknown>, b as Record<string, unknown>]
  return keys.every(key => Object.hasOwn(other, key) && isEqual(one[key], other[key], run))
}

function isAmong(value: unknown, among: unknown, node: ASTNode, run: Run): unknown {
  if (Array.isArray(among)) return among.some(one => isEqual(value, one, run))
  if (typeof among !== 'object' || among === null) return unfit(node, among)
  return typeof value === 'string' && Object.hasOwn(among, value)
}

function arithmetic(node: ASTNode, a: unknown, b: unknown, run: Run): unknown {
  const [left, right] = node.args as [ASTNode, ASTNode]
  if (a === null) return unfit(left, a)
  if (b === null) return unfit(right, b)
  if (node.op === '<' || node.op === '<=' || node.op === '>' || node.op === '>=') {
    const order = orderOf(a, b, run)
    if (order === undefined) return unfit(node, b)
    if (node.op === '<') return order < 0
    if (node.op === '<=') return order <= 0
    return node.op === '>' ? order > 0 : order >= 0
  }
  if (typeof a === 'number' && typeof b === 'number') {
    return calculate(node, a, b, typeOf(left) === 'int' && typeOf(right) === 'int')
  }
  if (node.op === '+' && typeof a === 'string' && typeof b === 'string') {
    spend(run, (a.length + b.length) >> 4)
    return a + b
  }
  if (node.op === '+' && Array.isArray(a) && Array.isArray(b)) {
    spend(run, a.length + b.length)
    return [...a, ...b]
  }
  return withTime(node.op, a, b) ?? unfit(node, b)
}

function calculate(node: ASTNode, a: number, b: number, isWhole: boolean): unknown {
  if ((node.op === '/' || node.op === '%') && b === 0) return fault('A division by zero.')
  const result =
    node.op === '+' ? a + b : node.op === '-' ? a - b : node.op === '*' ? a * b : node.op === '/' ? a / b : a % b
  const value = isWhole ? Math.trunc(result) : result
  return Number.isFinite(value) && (!isWhole || Number.isSafeInteger(value)) ? value : fault('A number is too large.')
}

function withTime(op: string, a: unknown, b: unknown): Date | Span | undefined {
  const [from, to] = [millisecondsOf(a), millisecondsOf(b)]
  if (a instanceof Date && b instanceof Date) return op === '-' ? span(+a - +b) : undefined
  if (a instanceof Date && to !== undefined) return new Date(op === '-' ? +a - to : +a + to)
  if (from !== undefined && b instanceof Date) return op === '+' ? new Date(+b + from) : undefined
  return from === undefined || to === undefined ? undefined : span(op === '-' ? from - to : from + to)
}

/** Texts are ordered by code points, as `collate "C"` does. */
function orderOf(a: unknown, b: unknown, run: Run): number | undefined {
  if (typeof a === 'string' && typeof b === 'string') {
    spend(run, Math.min(a.length, b.length) >> 4)
    return Buffer.compare(Buffer.from(a), Buffer.from(b))
  }
  const [x, y] = [sizeOf(a), sizeOf(b)]
  return x === undefined || y === undefined || x.kind !== y.kind ? undefined : x.size - y.size
}

function sizeOf(value: unknown): { kind: string; size: number } | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return { kind: typeof value, size: Number(value) }
  if (value instanceof Date) return { kind: 'time', size: +value }
  const size = millisecondsOf(value)
  return size === undefined ? undefined : { kind: 'span', size }
}

function comprehend([name, receiver, given]: readonly [string, ASTNode, ASTNode[]], run: Run): unknown {
  const among = evaluate(receiver, run)
  if (isFault(among)) return among
  if (typeof among !== 'object' || among === null) return unfit(receiver, among)
  const [variable, body] = given
  if (!variable || !body) return fault('A list needs a name and a condition.')
  const outer = run.names
  const items: unknown[] = Array.isArray(among) ? among : Object.keys(among)
  const outcomes: unknown[] = []
  let doubt: Fault | undefined
  try {
    for (const item of items) {
      run.names = { name: String(variable.args), value: item ?? null, outer }
      const value = name === 'map' ? evaluate(body, run) : truth(body, run)
      if (isFault(value)) {
        if (name !== 'all' && name !== 'exists') return value
        doubt ??= value
      } else if ((name === 'exists' && value) || (name === 'all' && !value)) return value
      else if (name === 'map') outcomes.push(value)
      else if (value) outcomes.push(item)
    }
  } finally {
    run.names = outer
  }
  if (name === 'filter' || name === 'map') return outcomes
  return doubt ?? (name === 'exists_one' ? outcomes.length === 1 : name === 'all')
}

function call(node: ASTNode, name: string, nodes: readonly ASTNode[], run: Run): unknown {
  return all(nodes, run, values => {
    const missing = values.indexOf(null)
    if (missing >= 0) return unfit(nodes[missing], null)
    return applied(name, values, run) ?? unfit(node, values[0])
  })
}
