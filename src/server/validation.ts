// Schemas → validators: bodies exactly as sent, queries coerced from text, and what was wrong in words.
import Ajv, { type ErrorObject, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import type { TSchema } from 'typebox'
import { type ApiError, badRequest, type Issue } from '../contract/errors.ts'

const common = { strict: false, removeAdditional: false as const, allErrors: false }
const bodyAjv = new Ajv.default(common)
const queryAjv = new Ajv.default({ ...common, coerceTypes: true, useDefaults: true })
for (const ajv of [bodyAjv, queryAjv]) {
  formats.default(ajv)
  ajv.addFormat('date-time', isMoment)
}

const dateTime = formats.default.get('date-time') as { validate: (text: string) => boolean }

/** The format also takes leap seconds and the year 0, which neither a Date nor the database can hold. */
function isMoment(text: string): boolean {
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
  return query => {
    const known: Record<string, unknown> = {}
    for (const name of Object.keys(properties)) {
      const value = several(query[name], query[`${name}[]`])
      if (value === undefined) continue
      known[name] = properties[name]?.['x-filter'] || !Array.isArray(value) ? value : value.at(-1)
    }
    refuseUnstorable(known)
    if (!validate(known)) throw invalid(validate.errors, 'query')
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
  enum: error => `one of ${(error.params.allowedValues as unknown[]).slice(0, 12).join(', ')}`,
  format: error => (error.params.format === 'email' ? 'an e-mail address' : `a ${error.params.format}`),
  pattern: error =>
    (error.parentSchema as { 'x-hint'?: string })?.['x-hint'] ?? `text that matches ${error.params.pattern}`,
}

export function invalid(errors: ErrorObject[] | null | undefined, part: 'query' | 'body'): ApiError {
  const issues = (errors ?? []).slice(0, 5).map(toIssue)
  const [issue] = issues
  if (!issue) return badRequest(`The ${part} is not what this operation takes.`)
  const place = issue.path ? `"${issue.path}"` : `The ${part}`
  return badRequest(`${place} is not acceptable: expected ${issue.expected}.`, issues)
}

function toIssue(error: ErrorObject): Issue {
  const path = error.instancePath.slice(1).replaceAll('/', '.')
  const missing = error.keyword === 'required' ? String(error.params.missingProperty) : ''
  const extra = error.keyword === 'additionalProperties' ? String(error.params.additionalProperty) : ''
  const expected = words[error.keyword]?.(error) ?? error.message ?? 'another value'
  return { path: [path, missing || extra].filter(Boolean).join('.').slice(0, 200), rule: error.keyword, expected }
}

/** NUL and halves of surrogate pairs cannot be stored; walked without recursion, however deep the value is. */
export function refuseUnstorable(value: unknown): void {
  const open: unknown[] = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next === 'string') {
      if (next.includes('\0') || !next.isWellFormed()) {
        throw badRequest('A text holds a NUL character or half of a surrogate pair; remove it.')
      }
    } else if (typeof next === 'object' && next !== null) {
      for (const [name, part] of Object.entries(next)) open.push(name, part)
    }
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Strict: valid UTF-8, valid JSON, nothing that cannot be stored. */
export function parseJson(bytes: Buffer): unknown {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch (cause) {
    throw Object.assign(badRequest('The body is not valid UTF-8.'), { cause })
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw badRequest('The body is not valid JSON.')
  }
  // Only an escape can bring in what cannot be stored: raw bytes were checked above.
  if (text.includes('\\u')) refuseUnstorable(value)
  return value
}
