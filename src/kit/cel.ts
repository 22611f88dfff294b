// Conditions and values that users write, in CEL: checked when they are saved, tried on records in memory.
import { type ASTNode, ParseError, TypeError as TypeProblem } from '@marcbachmann/cel-js'
import { badRequest } from '../contract/errors.ts'
import { momentOf, spanOf } from './cel_functions.ts'
import { run } from './cel_run.ts'
import {
  type CelSchema,
  celBounds,
  comprehensions,
  functions,
  methods,
  type Typed,
  typed,
  typeOf,
} from './cel_types.ts'
import { patternOf } from './patterns.ts'

/** What is wrong with a text, and where: `offset` counts from 0, `line` and `column` from 1. */
export type CelProblem = { message: string; offset: number; line: number; column: number }

export type CelResult = 'bool' | 'string'

export type CelNode = ASTNode

/** A text that was checked. Its tree is for `cel_run.ts` and `cel_sql.ts`. */
export type Expression = { readonly text: string; readonly result: CelResult; readonly tree: ASTNode }

export type Checked = { ok: true; expression: Expression } | { ok: false; problem: CelProblem }

/**
 * `roots` is the schema of an object, such as `Type.Object({ alert: Alert })`: the expression may read `alert.title`,
 * and a field that the schema does not have is refused. Call it when a text is saved, and to make an expression of a
 * text that was: texts that were checked lately are known.
 */
export function check(text: string, roots: CelSchema, result: CelResult = 'bool'): Checked {
  const lately = latelyChecked(roots)
  const key = `${result}:${text}`
  const known = lately.get(key)
  if (known) return known
  const made = checkAnew(text, roots, result)
  if (lately.size >= mostKnown) lately.delete(lately.keys().next().value ?? '')
  lately.set(key, made)
  return made
}

/** The same for a field of a request: what is wrong becomes a 400 that names the field, the line and the column. */
export function checkedField(field: string, text: string, roots: CelSchema, result: CelResult = 'bool'): Expression {
  const outcome = check(text, roots, result)
  if (outcome.ok) return outcome.expression
  const { message, line, column } = outcome.problem
  throw badRequest(`${field} is not a valid expression: ${message} (line ${line}, column ${column}).`, [
    { path: field, rule: 'expression', expected: `line ${line}, column ${column}: ${message}` },
  ])
}

/** Whether a record matches; where it cannot be told, as something is not set or too large, it does not, and why. */
export function test(
  expression: Expression,
  record: Readonly<Record<string, unknown>>,
): { matches: boolean; reason?: string } {
  const outcome = evaluate(expression, record)
  return 'reason' in outcome ? { matches: false, reason: outcome.reason } : { matches: outcome.value === true }
}

/** The value of an expression for a record, or why there is none. It never throws. */
export function evaluate(
  expression: Expression,
  record: Readonly<Record<string, unknown>>,
): { value: boolean | string } | { reason: string } {
  const outcome = run(expression.tree, record)
  if ('reason' in outcome) return outcome
  const { value } = outcome
  if (expression.result === 'bool' && typeof value === 'boolean') return { value }
  if (expression.result === 'string' && typeof value === 'string') return { value }
  if (value === null) return { reason: `${expression.text.slice(0, 100)} is not set.` }
  return { reason: `The result is not ${wordOf(expression.result)}.` }
}

const mostKnown = 500
const checkedOf = new WeakMap<CelSchema, Map<string, Checked>>()

function latelyChecked(roots: CelSchema): Map<string, Checked> {
  const known = checkedOf.get(roots) ?? new Map<string, Checked>()
  checkedOf.set(roots, known)
  return known
}

function checkAnew(text: string, roots: CelSchema, result: CelResult): Checked {
  if (text.length > celBounds.text) {
    return refused(`An expression has at most ${celBounds.text} characters`, text, celBounds.text)
  }
  const types = typed(roots)
  try {
    const parsed = types.environment.parse(text)
    const outcome = parsed.check()
    if (!outcome.valid) return failure(outcome.error, text)
    const problem = strange(parsed.ast, types, types.roots)
    if (problem) return refused(problem.message, text, problem.offset)
    if (outcome.type !== result && outcome.type !== 'dyn') {
      return refused(`The result must be ${wordOf(result)}, and this is ${outcome.type}`, text, 0)
    }
    return { ok: true, expression: { text, result, tree: parsed.ast } }
  } catch (error) {
    return failure(error, text)
  }
}

function wordOf(result: CelResult): string {
  return result === 'bool' ? 'true or false (bool)' : 'text (string)'
}

function failure(error: unknown, text: string): Checked {
  if (!(error instanceof ParseError) && !(error instanceof TypeProblem)) throw error
  return refused(error.summary.slice(0, 300), text, error.range?.start ?? 0)
}

function refused(message: string, text: string, offset: number): Checked {
  const before = text.slice(0, offset).split('\n')
  const column = (before.at(-1)?.length ?? 0) + 1
  return { ok: false, problem: { message, offset, line: before.length, column } }
}

type Strange = { message: string; offset: number }

/** What the library takes and this project does not: the first thing in the tree, in the order of the text. */
function strange(node: ASTNode, types: Typed, names: ReadonlySet<string>): Strange | undefined {
  const at = (message: string) => ({ message, offset: node.pos })
  const among = (nodes: readonly ASTNode[], scope = names) => {
    for (const one of nodes) {
      const found = strange(one, types, scope)
      if (found) return found
    }
    return undefined
  }
  switch (node.op) {
    case 'value':
      return isPlain(node.args) ? undefined : at('This kind of value is not supported')
    case 'id':
      return names.has(node.args) ? undefined : at(`Unknown variable: ${node.args}`)
    case '.':
      return among([node.args[0]])
    case 'list':
      return among(node.args)
    case '!_':
    case '-_':
      return among([node.args])
    case 'call':
      return strangeCall(node.args, functions, at) ?? unknownField(node.args, types) ?? among(node.args[1])
    case 'rcall': {
      const [name, receiver, given] = node.args
      const wrong = strangeCall([name, given], methods, at) ?? among([receiver])
      if (wrong || !comprehensions.has(name)) return wrong ?? among(given)
      return among(given.slice(1), new Set([...names, String(given[0]?.args)]))
    }
    case 'map':
    case '.?':
    case '[?]':
      return at('This is not supported here')
    default:
      return among(node.args)
  }
}

/** Numbers are those of JSON, so that memory and database agree; so are texts. */
function isPlain(value: unknown): boolean {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value))
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0')
  return value === null || typeof value === 'boolean' || Number.isFinite(value)
}

function strangeCall(
  [name, given]: readonly [string, readonly ASTNode[]],
  allowed: Readonly<Record<string, readonly number[]>>,
  at: (message: string) => Strange,
): Strange | undefined {
  if (!Object.hasOwn(allowed, name) || !allowed[name]?.includes(given.length)) {
    return at(`There is no function ${name} of ${given.length} here`)
  }
  const [argument] = given
  if (argument?.op !== 'value' || typeof argument.args !== 'string') return undefined
  const wrong = wrongLiteral(name, argument.args)
  return wrong === undefined ? undefined : { message: wrong, offset: argument.pos }
}

/** Patterns, times and spans that are written out are tried at once. */
function wrongLiteral(name: string, text: string): string | undefined {
  if (name === 'timestamp' && !momentOf(text)) return 'This is not a time such as 2026-01-31T12:00:00Z'
  if (name === 'duration' && !spanOf(text)) return 'This is not a span of time such as 90s, 15m or 24h'
  if (name !== 'matches') return undefined
  const made = patternOf(text, celBounds.pattern)
  return 'fault' in made ? `This must be ${made.fault}` : undefined
}

/** The library looks no further than the root of what `has` is asked for. */
function unknownField([name, given]: readonly [string, readonly ASTNode[]], types: Typed): Strange | undefined {
  if (name !== 'has') return undefined
  const chain: { name: string; offset: number }[] = []
  let node = given[0]
  while (node?.op === '.') {
    chain.unshift({ name: node.args[1], offset: node.pos })
    node = node.args[0]
  }
  let type = node ? typeOf(node) : 'dyn'
  for (const step of chain) {
    const fields = types.fields.get(type)
    if (!fields) return undefined
    const next = Object.hasOwn(fields, step.name) ? fields[step.name] : undefined
    if (next === undefined) return { message: `No such key: ${step.name}`, offset: step.offset }
    type = next
  }
  return undefined
}
