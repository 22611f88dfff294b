// Makes a definition of a template: `{{ inputs.x }}` becomes the value that it is installed with, nothing else changes.
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { refused } from '../../../contract/errors.ts'
import type { Definition } from '../fields/contract.ts'
import type { Template, TemplateInput } from './template.ts'

type Given = Readonly<Record<string, unknown>>
type Values = ReadonlyMap<string, unknown>

const place = /\{\{\s*inputs\.(\w+)\s*\}\}/g
const onlyPlace = /^\{\{\s*inputs\.(\w+)\s*\}\}$/

/** 400 with the field where a value is missing, unknown, or not what the template asks for. */
export function filled({ inputs, definition }: Template, given: Given): Definition {
  return replaced(definition, valuesFor(inputs.properties, given)) as Definition
}

function valuesFor(properties: Readonly<Record<string, TemplateInput>>, given: Given): Values {
  const stray = Object.keys(given).find(name => !Object.hasOwn(properties, name))
  if (stray !== undefined) {
    const known = Object.keys(properties).join(', ') || 'none'
    throw refused(`inputs.${stray}`, 'additionalProperties', `one of those that the template asks for (${known})`)
  }
  return new Map(Object.entries(properties).map(([name, schema]) => [name, valueFor(name, schema, given)]))
}

function valueFor(name: string, schema: TemplateInput, given: Given): unknown {
  const value = Object.hasOwn(given, name) ? given[name] : schema.default
  if (value === undefined) throw refused(`inputs.${name}`, 'required', `given: ${schema.title}`)
  refuseUnfit(`inputs.${name}`, schema, value)
  // Otherwise a value could read what steps give, in a place that whoever wrote the template did not mean.
  if (holdsPlace(value)) throw refused(`inputs.${name}`, 'template', 'without {{: a value is not filled in')
  return value
}

function refuseUnfit(path: string, schema: TemplateInput, value: unknown): void {
  const validator = Compile(schema as unknown as TSchema)
  if (validator.Check(value)) return
  const [error] = validator.Errors(value)
  const { instancePath = '', keyword = 'type', message = '' } = error ?? {}
  const within = [path, ...instancePath.split('/').filter(Boolean)].join('.')
  const choice = Array.isArray(schema.enum) ? ` (${schema.enum.join(', ')})` : ''
  throw refused(within, keyword, `${message.replace(/^must (be )?/, '')}${choice}`)
}

function holdsPlace(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('{{')
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsPlace)
}

function replaced(value: unknown, values: Values): unknown {
  if (typeof value === 'string') return replacedText(value, values)
  if (Array.isArray(value)) return value.map(one => replaced(one, values))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, replaced(one, values)]))
}

function replacedText(text: string, values: Values): unknown {
  const [, only] = onlyPlace.exec(text) ?? []
  return only === undefined ? text.replace(place, (_, name: string) => String(values.get(name))) : values.get(only)
}
