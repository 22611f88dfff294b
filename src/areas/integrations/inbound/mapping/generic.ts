// Any other payload, by expressions that the owner of the integration wrote: one for each field of the alert.
import { Type } from 'typebox'
import { refused } from '../../../../contract/errors.ts'
import { type CelResult, check, checkedField, evaluate } from '../../../../kit/cel.ts'
import type { Json } from '../payloads.ts'
import { fingerprintOf, type Mapped, makeAlert, over, single } from './mapped.ts'
import { severityOf } from './severities.ts'

/** Each gives a text; `resolved` gives true where the sender says that it is over. */
export type Mapping = {
  readonly title: string
  readonly fingerprint?: string | undefined
  readonly severity?: string | undefined
  readonly body?: string | undefined
  /** One text, its parts between commas. */
  readonly resources?: string | undefined
  /** The same. */
  readonly labels?: string | undefined
  readonly url?: string | undefined
  readonly at?: string | undefined
  readonly resolved?: string | undefined
  readonly fields?: Readonly<Record<string, string>> | undefined
}

/** `payload` may be anything: only what it is used for is checked. */
const roots = Type.Object({ payload: Type.Unknown() })

const texts = ['title', 'fingerprint', 'severity', 'body', 'resources', 'labels', 'url', 'at'] as const
const mostFields = 50
const longestName = 128

/** 400 with the path of the field whose expression is none. */
export function checkMapping(mapping: Mapping): void {
  if (typeof mapping.title !== 'string' || mapping.title.trim() === '') {
    throw refused('config.mapping.title', 'required', 'an expression that gives a text')
  }
  const { fields = {} } = mapping
  const names = Object.keys(fields)
  if (names.length > mostFields) throw refused('config.mapping.fields', 'maxProperties', `at most ${mostFields} fields`)
  if (names.some(name => name === '' || name.length > longestName)) {
    throw refused('config.mapping.fields', 'propertyNames', `fields with names of 1 to ${longestName} characters`)
  }
  for (const { path, text, result } of expressionsOf(mapping))
    checkedField(`config.mapping.${path}`, text, roots, result)
}

type Written = { path: string; text: string; result: CelResult }

function expressionsOf(mapping: Mapping): Written[] {
  const written = (path: string, text: string | undefined, result: CelResult = 'string'): Written[] =>
    text === undefined || text === null ? [] : [{ path, text, result }]
  return [
    ...texts.flatMap(name => written(name, mapping[name])),
    ...written('resolved', mapping.resolved, 'bool'),
    ...Object.entries(mapping.fields ?? {}).flatMap(([name, text]) => written(`fields.${name}`, text)),
  ]
}

export function mapGeneric(mapping: Mapping, payload: Json, now: Date): Mapped {
  const all = expressionsOf(mapping)
  const state = valuesOf(
    all.filter(({ path }) => path === 'resolved'),
    payload,
  )
  if ('reason' in state) return state
  const isOver = state.values.get('resolved') === true
  // What is over may say no more than which one it is.
  const name = mapping.fingerprint ? 'fingerprint' : 'title'
  const read = valuesOf(isOver ? all.filter(({ path }) => path === name) : all, payload)
  if ('reason' in read) return read
  const textAt = (path: string) => String(read.values.get(path) ?? '').trim()
  if (textAt(name) === '') return { reason: `\`config.mapping.${name}\` gives an empty text for this payload.` }
  const fingerprint = fingerprintOf('generic', textAt(name))
  if (isOver) return over(fingerprint)
  const title = textAt('title')
  if (title === '') return { reason: '`config.mapping.title` gives an empty text for this payload.' }
  const alert = makeAlert(
    {
      title,
      fingerprint,
      severity: severityOf(textAt('severity')),
      body: [textAt('body')],
      resources: textAt('resources').split(','),
      labels: textAt('labels').split(','),
      externalId: textAt('fingerprint'),
      url: textAt('url'),
      at: textAt('at'),
      fields: Object.keys(mapping.fields ?? {}).map(field => [field, textAt(`fields.${field}`)] as const),
    },
    now,
  )
  return single(alert)
}

/** By path; the first that has none makes a reason that names it. */
function valuesOf(
  written: readonly Written[],
  payload: Json,
): { values: ReadonlyMap<string, string | boolean> } | { reason: string } {
  const values = new Map<string, string | boolean>()
  for (const { path, text, result } of written) {
    const checked = check(text, roots, result)
    const outcome = checked.ok ? evaluate(checked.expression, { payload }) : { reason: `${checked.problem.message}.` }
    if ('reason' in outcome) return { reason: `\`config.mapping.${path}\` fails for this payload: ${outcome.reason}` }
    values.set(path, outcome.value)
  }
  return { values }
}
