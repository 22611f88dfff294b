// Whether arguments fit the schema of a tool, before a server is asked that would refuse them.
import { createHash } from 'node:crypto'
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { canonical } from '../../../kit/json.ts'
import { longestText, patternOf } from '../../../kit/patterns.ts'
import { reduced } from './schemas.ts'
import { cut } from './values.ts'

const mostArgumentBytes = 256 * 1024
/** Parts of the schema that are held against parts of the arguments: schemas that refer to themselves can ask for endless. */
const mostSteps = 300_000
/** Instructions × characters of patterns: some 100 ms. */
const mostPatternWork = 1_250_000
const longestPattern = 500
const counting = 'x-counted-step'

/** Of the check that runs; nothing waits in it. */
const left = { steps: 0, work: 0 }

class TooMuch extends Error {}

type Checked = { validate: ValidateFunction } | { fault: string }

const known = new Map<string, Checked>()
const mostKnown = 200

/** In words for who calls the tool, or null. The server has the last word: not every rule is looked at here. */
export function argumentsFault(inputSchema: object, args: unknown): string | null {
  const text = JSON.stringify(args) ?? ''
  if (Buffer.byteLength(text) > mostArgumentBytes) return 'The arguments are larger than 256 KiB.'
  const checked = checkOf(inputSchema)
  if ('fault' in checked) return checked.fault
  Object.assign(left, { steps: mostSteps, work: mostPatternWork })
  try {
    return checked.validate(args) ? null : faultIn(checked.validate.errors?.[0])
  } catch {
    // Endless references end here, too, when there is no room for more calls.
    return 'The arguments cannot be held against the schema of the tool: that would take too long.'
  }
}

function checkOf(schema: object): Checked {
  const key = createHash('sha256').update(canonical(schema)).digest('base64')
  const before = known.get(key)
  if (before) return before
  const made = compiled(schema)
  if (known.size >= mostKnown) known.delete(known.keys().next().value ?? '')
  known.set(key, made)
  return made
}

function compiled(schema: object): Checked {
  const usable = reduced(schema, counting)
  if ('fault' in usable) return { fault: `The input schema of the tool cannot be used: it ${usable.fault}.` }
  // One of its own for each schema, so that none knows the names in another.
  const ajv = new Ajv2020({
    strict: false,
    logger: false,
    meta: false,
    validateSchema: false,
    validateFormats: false,
    // Otherwise an argument called `constructor` would always be there.
    ownProperties: true,
    // The code that ends at the first error is nested once for each property, too deep for the engine.
    allErrors: true,
    // Inlined, references to references would double with each level.
    inlineRefs: false,
    code: { regExp: Object.assign(matcher, { code: 'matcher' }), optimize: false },
  })
  ajv.addKeyword({ keyword: counting, schemaType: 'number', before: '$ref', validate: countSteps, errors: false })
  try {
    return { validate: ajv.compile(usable.schema) }
  } catch {
    return { fault: 'The input schema of the tool cannot be used: it refers to a part that is not there.' }
  }
}

/** Long texts and objects of many fields cost more, whatever they are held against. */
function countSteps(steps: number, value: unknown): boolean {
  left.steps -= steps + Math.floor((steps * sizeOf(value)) / 64)
  if (left.steps < 0) throw new TooMuch()
  return true
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value).length : 0
}

/** RE2 instead of the engine's own, which a pattern can hold up for ever; what RE2 does not know is left to the server. */
function matcher(source: string) {
  const pattern = patternOf(source, longestPattern)
  return {
    test(text: string): boolean {
      if ('fault' in pattern || text.length > longestText(pattern.regex)) return true
      left.work -= pattern.regex.programSize() * (text.length + 1)
      if (left.work < 0) throw new TooMuch()
      return pattern.regex.matcher(text).find()
    },
  }
}

/** `params` names what the message alone does not. */
function faultIn(error: ErrorObject | undefined): string {
  const { instancePath = '', message = 'do not fit', params = {} } = error ?? {}
  const { additionalProperty, unevaluatedProperty, allowedValues } = params as Record<string, unknown>
  const stray = additionalProperty ?? unevaluatedProperty
  const more = stray === undefined ? '' : `: ${JSON.stringify(stray)}`
  const choice = Array.isArray(allowedValues) ? `: ${JSON.stringify(allowedValues)}` : more
  const where = instancePath === '' ? 'The arguments' : `The argument ${cut(instancePath.slice(1), 200)}`
  return cut(`${where} ${message}${choice}.`, 500)
}
