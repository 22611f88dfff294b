// Schemas → validators: bodies exactly as sent, queries coerced from text, and what was wrong in words.
import Ajv, { type ErrorObject, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import type { TSchema } from 'typebox'
import { type ApiError, badRequest, type Issue } from '../../contract/errors.ts'
import { refuseUnstorable } from '../../kit/json.ts'

const common = { strict: false, removeAdditional: false as const, allErrors: false }
const bodyAjv = new Ajv.default(common)
const queryAjv = new Ajv.default({ ...common, coerceTypes: true, useDefaults: true })
for (const ajv of [bodyAjv, queryAjv]) {
  formats.default(ajv)
  ajv.addFormat('date-time', isMoment)
}

/** Asked only about what was refused, and not about floods: it goes on where the others stop at the first fault. */
const patientAjv = {
  body: new Ajv.default({ ...common, allErrors: true, verbose: true }),
  query: new Ajv.default({ ...common, allErrors: true, verbose: true, coerceTypes: true }),
}
for (const ajv of Object.values(patientAjv)) {
  formats.default(ajv)
  ajv.addFormat('date-time', isMoment)
}
const mostIssues = 20
const mostExplained = 64 * 1024

const dateTime = formats.default.get('date-time') as { validate: (text: string) => boolean }

/** With a fraction of any length, the format would have no end. */
const longestMoment = 64

/** The format also takes leap seconds and the year 0, which neither a Date nor the database can hold. */
function isMoment(text: string): boolean {
  if (text.length > longestMoment) return false
  const moment = dateTime.validate(text) ? new Date(text) : new Date(Number.NaN)
  const year = moment.getUTCFullYear()
  return year >= 1 && year <= 9999
}

export function compileBody(schema: TSchema): ValidateFunction {
  return bodyAjv.compile(schema)
}

/** Unknown names in a query are ignored, so they are dropped before a closed schema sees them. */
export function compileQuery(schema: TSchema): (query: Record<string, unknown>) => Record<string, unknown> {
  const validate = queryAjv.compile(schema)
  const properties = (schema as unknown as { properties: Record<string, { 'x-filter'?: boolean }> }).properties
  const names = Object.entries(properties).map(([name, { 'x-filter': isFilter }]) => ({
    name,
    bracketed: `${name}[]`,
    isFilter,
  }))
  return query => {
    const known: Record<string, unknown> = {}
    for (const { name, bracketed, isFilter } of names) {
      const value = several(query[name], query[bracketed])
      if (value === undefined) continue
      if (Array.isArray(value) && !isFilter) {
        throw badRequest(`"${name}" takes one value; send it once.`, [
          { path: name, rule: 'type', expected: 'one value' },
        ])
      }
      known[name] = value
    }
    refuseUnstorable(known)
    if (!validate(known)) throw invalid(allFaults(schema, known, 'query', 0) ?? validate.errors, 'query')
    return known
  }
}

/** `name=a&name[]=b` is one filter of two values. */
function several(plain: unknown, bracketed: unknown): unknown {
  if (bracketed === undefined) return plain
  return [...(plain === undefined ? [] : [plain].flat()), ...[bracketed].flat()]
}

const words: Record<string, (error: ErrorObject) => string> = {
  required: error => `"${error.params.missingProperty}" to be present`,
  additionalProperties: error => `no property "${error.params.additionalProperty}"`,
  type: error => `a value of type ${[error.params.type].flat().join(' or ')}`,
  minLength: error => `at least ${error.params.limit} characters`,
  maxLength: error => `at most ${error.params.limit} characters`,
  minimum: error => `a number of at least ${error.params.limit}`,
  maximum: error => `a number of at most ${error.params.limit}`,
  minItems: error => `at least ${error.params.limit} items`,
  maxItems: error => `at most ${error.params.limit} items`,
  enum: error => oneOf(error.params.allowedValues as unknown[]),
  format: error => (error.params.format === 'email' ? 'an e-mail address' : `a ${error.params.format}`),
  pattern: error =>
    (error.parentSchema as { 'x-hint'?: string })?.['x-hint'] ?? `text that matches ${error.params.pattern}`,
}

const mostNamed = 20

/** A list that ends early says so: what it leaves out is allowed, too. */
function oneOf(values: readonly unknown[]): string {
  const more = values.length > mostNamed ? `, or ${values.length - mostNamed} more that the reference lists` : ''
  return `one of ${values.slice(0, mostNamed).join(', ')}${more}`
}

/** Every fault of a value that was refused; null where it is too long to be gone through again. */
export function allFaults(
  schema: TSchema,
  value: unknown,
  part: 'query' | 'body',
  bytes: number,
): ErrorObject[] | null {
  if (!(bytes <= mostExplained)) return null
  const validate = patientAjv[part].compile(schema)
  return validate(part === 'query' ? structuredClone(value) : value) ? null : (validate.errors ?? null)
}

export function invalid(errors: ErrorObject[] | null | undefined, part: 'query' | 'body'): ApiError {
  const issues = telling((errors ?? []).slice(0, 10 * mostIssues))
    .flatMap(toIssues)
    .slice(0, mostIssues)
  const [issue] = issues
  if (!issue) return badRequest(`The ${part} is not what this operation takes.`)
  const place = issue.path ? `"${issue.path}"` : `The ${part}`
  const expected = issues.filter(({ path }) => path === issue.path).map(one => one.expected)
  const listed = expected.length > 1 ? `${expected.slice(0, -1).join(', ')} and ${expected.at(-1)}` : issue.expected
  return badRequest(`${place} is not acceptable: expected ${listed}.`, issues)
}

type Rule = readonly [pattern: string, expected: string]

/** A pattern made of several rules is told rule by rule, those that are broken. */
function toIssues(error: ErrorObject): Issue[] {
  const issue = toIssue(error)
  const rules = (error.parentSchema as { 'x-rules'?: readonly Rule[] } | undefined)?.['x-rules']
  if (error.keyword !== 'pattern' || !rules || typeof error.data !== 'string') return [issue]
  const broken = rules.filter(([pattern]) => !new RegExp(pattern).test(error.data as string))
  return broken.map(([, expected]) => ({ ...issue, expected }))
}

/** Of several ways to write a value, the one that nearly fits says more than those of another type. */
function telling(errors: ErrorObject[]): ErrorObject[] {
  const closer = errors.filter(({ keyword }) => keyword !== 'anyOf' && keyword !== 'type')
  const isTold = ({ instancePath }: ErrorObject) => closer.some(one => one.instancePath.startsWith(instancePath))
  return errors.filter(error => closer.includes(error) || !isTold(error))
}

function toIssue(error: ErrorObject): Issue {
  const path = error.instancePath.slice(1).replaceAll('/', '.')
  const missing = error.keyword === 'required' ? String(error.params.missingProperty) : ''
  const extra = error.keyword === 'additionalProperties' ? String(error.params.additionalProperty) : ''
  const expected = words[error.keyword]?.(error) ?? error.message ?? 'another value'
  return { path: [path, missing || extra].filter(Boolean).join('.').slice(0, 200), rule: error.keyword, expected }
}
