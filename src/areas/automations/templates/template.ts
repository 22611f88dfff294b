// What a ready automation is, and what many of them have in common.
import type { Definition } from '../fields/contract.ts'

/** JSON Schema of one value that a template is installed with. */
export type TemplateInput = {
  title: string
  description: string
  type: 'string' | 'integer' | 'array'
  default?: unknown
} & Readonly<Record<string, unknown>>

export type Template = {
  slug: string
  name: string
  description: string
  inputs: {
    type: 'object'
    properties: Readonly<Record<string, TemplateInput>>
    required: readonly string[]
    additionalProperties: false
  }
  /** `{{ inputs.x }}` stands for a value that it is installed with; everything else is filled in when it runs. */
  definition: Definition
}

/** What has no default must be given. */
export function asked(properties: Readonly<Record<string, TemplateInput>>): Template['inputs'] {
  const required = Object.keys(properties).filter(name => properties[name]?.default === undefined)
  return { type: 'object', properties, required, additionalProperties: false }
}

export const people = (description: string): TemplateInput => ({
  title: 'Mail to',
  description,
  type: 'array',
  items: { type: 'string', minLength: 3, maxLength: 254 },
  minItems: 1,
  maxItems: 20,
})

export const hour = (first: number): TemplateInput => ({
  title: 'Hour',
  description: 'The hour of the day, 0 to 23, in the time zone below.',
  type: 'integer',
  minimum: 0,
  maximum: 23,
  default: first,
})

export const timezone: TemplateInput = {
  title: 'Time zone',
  description: 'A name such as Europe/Berlin.',
  type: 'string',
  minLength: 1,
  maxLength: 64,
  default: 'UTC',
}

/** In hours, as spans of time are written in expressions. */
export const hours = (first: number, description: string): TemplateInput => ({
  title: 'Hours',
  description,
  type: 'integer',
  minimum: 1,
  maximum: 8_760,
  default: first,
})

export const severity = (first: string, description: string): TemplateInput => ({
  title: 'Severity',
  description,
  type: 'string',
  enum: ['critical', 'high', 'medium', 'low', 'info'],
  default: first,
})
