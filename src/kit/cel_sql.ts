// An expression as a condition of SQL, where a database can answer it: the same records match as in memory.
// A fault in memory is null here, and both are no match; `==` and `!=` are true or false even for what is not set.
import type { ASTNode } from '@marcbachmann/cel-js'
import type { Expression } from './cel.ts'
import { momentOf } from './cel_functions.ts'
import { raw, type Sql, sql } from './sql.ts'

type ColumnType = 'text' | 'bigint' | 'double precision' | 'boolean' | 'timestamptz' | 'text[]'

/** What an expression calls `alert.title` → the column, as the code writes it. An integer column may say `bigint`. */
export type CelColumns = Readonly<Record<string, { readonly column: string; readonly type: ColumnType }>>

/** Undefined where the expression asks for more than comparisons, `&& || !`, `in`, parts of texts and whether a field is set. */
export function toSql(expression: Expression, columns: CelColumns): Sql | undefined {
  return condition(expression.tree, { columns, isNegated: false })
}

type Place = { readonly columns: CelColumns; readonly isNegated: boolean }

function condition(node: ASTNode, place: Place): Sql | undefined {
  switch (node.op) {
    case '&&':
    case '||':
      return both(
        node.args.map(part => condition(part, place)),
        (a, b) => (node.op === '&&' ? sql`(${a} and ${b})` : sql`(${a} or ${b})`),
      )
    case '!_': {
      const inner = condition(node.args, { ...place, isNegated: !place.isNegated })
      return inner && sql`(not ${inner})`
    }
    case '==':
    case '!=':
      return equality(node.op, node.args, place)
    case '<':
    case '<=':
    case '>':
    case '>=':
      return comparison(node.op, node.args, place)
    case 'in':
      return membership(node.args, place)
    case 'call':
      return node.args[0] === 'has' ? presence(node.args[1][0], place, true) : undefined
    case 'rcall':
      return partOfText(node.args, place)
    default:
      return truth(node, place)
  }
}

function both(parts: readonly (Sql | undefined)[], make: (a: Sql, b: Sql) => Sql): Sql | undefined {
  const [a, b] = parts
  return a && b && make(a, b)
}

/** A side of a comparison: a column, or a value that is bound. */
type Side = { readonly sql: Sql; readonly type: ColumnType; readonly isColumn: boolean }

function truth(node: ASTNode, place: Place): Sql | undefined {
  const side = sideOf(node, place)
  return side?.type === 'boolean' ? side.sql : undefined
}

function sideOf(node: ASTNode, { columns }: Place): Side | undefined {
  const path = pathOf(node)
  if (path !== undefined) {
    const column = Object.hasOwn(columns, path) ? columns[path] : undefined
    return column && { sql: sql`${raw(column.column)}`, type: column.type, isColumn: true }
  }
  const constant = constantOf(node)
  return constant && { ...constant, sql: sql`${constant.value}::${raw(constant.type)}`, isColumn: false }
}

function pathOf(node: ASTNode): string | undefined {
  if (node.op === 'id') return node.args
  if (node.op !== '.') return undefined
  const owner = pathOf(node.args[0])
  return owner === undefined ? undefined : `${owner}.${node.args[1]}`
}

type Constant = { readonly value: unknown; readonly type: ColumnType }

function constantOf(node: ASTNode): Constant | undefined {
  if (node.op === '-_') {
    const inner = constantOf(node.args)
    return typeof inner?.value === 'number' ? { ...inner, value: -inner.value } : undefined
  }
  if (node.op === 'call' && node.args[0] === 'timestamp') {
    const given = node.args[1][0]
    const time = given?.op === 'value' && typeof given.args === 'string' ? momentOf(given.args) : undefined
    return time && { value: time.toISOString(), type: 'timestamptz' }
  }
  if (node.op !== 'value') return undefined
  if (typeof node.args === 'string') return { value: node.args, type: 'text' }
  if (typeof node.args === 'boolean') return { value: node.args, type: 'boolean' }
  if (typeof node.args === 'bigint') return { value: Number(node.args), type: 'bigint' }
  return typeof node.args === 'number' ? { value: node.args, type: 'double precision' } : undefined
}

function isNumber(type: ColumnType): boolean {
  return type === 'bigint' || type === 'double precision'
}

function areAlike(a: Side, b: Side): boolean {
  return a.type !== 'text[]' && (a.type === b.type || (isNumber(a.type) && isNumber(b.type)))
}

/** What is not set equals nothing but null; a plain `=`, which an index serves, says so wherever null counts as false. */
function equality(op: '==' | '!=', [left, right]: readonly [ASTNode, ASTNode], place: Place): Sql | undefined {
  if (isNull(right)) return presence(left, place, op === '!=')
  if (isNull(left)) return presence(right, place, op === '!=')
  const [a, b] = [sideOf(left, place), sideOf(right, place)]
  if (!a || !b || !areAlike(a, b)) return undefined
  if (op === '!=') return sql`(${a.sql} is distinct from ${b.sql})`
  if (place.isNegated || (a.isColumn && b.isColumn)) return sql`(${a.sql} is not distinct from ${b.sql})`
  return sql`(${a.sql} = ${b.sql})`
}

function isNull(node: ASTNode): boolean {
  return node.op === 'value' && node.args === null
}

function presence(node: ASTNode | undefined, place: Place, isSet: boolean): Sql | undefined {
  const side = node && sideOf(node, place)
  if (!side?.isColumn) return undefined
  return isSet ? sql`(${side.sql} is not null)` : sql`(${side.sql} is null)`
}

function comparison(
  op: '<' | '<=' | '>' | '>=',
  [left, right]: readonly [ASTNode, ASTNode],
  place: Place,
): Sql | undefined {
  const [a, b] = [sideOf(left, place), sideOf(right, place)]
  if (!a || !b || !areAlike(a, b)) return undefined
  if (a.type === 'text') return sql`(${a.sql} collate "C" ${raw(op)} ${b.sql} collate "C")`
  return sql`(${a.sql} ${raw(op)} ${b.sql})`
}

function membership([value, among]: readonly [ASTNode, ASTNode], place: Place): Sql | undefined {
  const one = sideOf(value, place)
  if (!one) return undefined
  if (among.op !== 'list') {
    const list = sideOf(among, place)
    const isAnswered = list?.type === 'text[]' && one.type === 'text' && !one.isColumn
    return isAnswered ? sql`(${one.sql} = any(${list.sql}))` : undefined
  }
  const constants = among.args.map(constantOf)
  const values = constants.map(constant => constant?.value)
  if (constants.some(constant => constant?.type !== one.type)) return undefined
  const found = sql`(${one.sql} = any(${values}::${raw(`${one.type}[]`)}))`
  return place.isNegated ? sql`coalesce(${found}, false)` : found
}

function partOfText([name, receiver, given]: readonly [string, ASTNode, ASTNode[]], place: Place): Sql | undefined {
  const [text, part] = [sideOf(receiver, place), given[0] && sideOf(given[0], place)]
  if (text?.type !== 'text' || part?.type !== 'text') return undefined
  if (name === 'startsWith') return sql`starts_with(${text.sql}, ${part.sql})`
  if (name === 'contains') return sql`(strpos(${text.sql}, ${part.sql}) > 0)`
  if (name === 'endsWith') return sql`(right(${text.sql}, length(${part.sql})) = ${part.sql})`
  return undefined
}
