// The fields of a form from the JSON Schema of a type: objects are taken apart, and put together again when they are sent.
import type { ComponentType } from 'react'
import type { Draft, FieldHint, FieldProps } from '../../form/field.ts'
import { wordsOf } from '../../format.ts'
import type { Row } from '../../named.ts'
import type { JsonSchema } from '../schema.ts'
import type { CatalogType } from './catalog.ts'

type Inputs = {
  secret: ComponentType<FieldProps>
  pairs: ComponentType<FieldProps>
}

const labels: Readonly<Record<string, string>> = {
  url: 'Address',
  apiUrl: 'Address of the API',
  webhookUrl: 'Webhook address',
  to: 'Send to',
  syncs: 'Sync when something is pushed',
  issues: 'Count issues of the host as alerts',
  resolves: 'Resolve issues when the sender says so',
  buttons: 'Buttons to acknowledge and approve',
  format: 'Sender',
  payload: 'What is sent',
  timeoutSeconds: 'Wait for an answer',
  'mapping.url': 'Link',
  'mapping.at': 'Time',
  'mapping.fields': 'More fields',
}

/** Names that are not words. */
const names: Readonly<Record<string, string>> = {
  alertmanager: 'Alertmanager',
  pagerduty: 'PagerDuty',
  cloudevents: 'CloudEvents',
  hmac: 'HMAC (SHA-256)',
  standard: 'Standard Webhooks',
  generic: 'Anything else, by a mapping',
}

/** What only matters with another choice; the service says so when it is missing. */
const conditions: Readonly<Record<string, (draft: Draft) => boolean>> = {
  'inbound.mapping': draft => draft['config.format'] === 'generic',
  'inbound.signingSecret': draft => draft['config.signature'] !== 'none',
  'slack.signingSecret': draft => draft['config.buttons'] === true,
}

/** Names end in this where a button shows the fields that can be left out. */
const rest = '*'

export type Property = JsonSchema & { examples?: unknown[] }

export function propertiesOf({ config }: CatalogType): Record<string, Property> {
  return (config as Property).properties ?? {}
}

export const isNested = ({ type, properties }: JsonSchema) => type === 'object' && properties !== undefined

type Options = Inputs & { more?: ComponentType<FieldProps>; leaveOut?: readonly string[] }

export function configFields(type: CatalogType, { leaveOut = [], ...inputs }: Options): FieldHint[] {
  const needed = (type.config as Property).required ?? []
  return Object.entries(propertiesOf(type))
    .filter(([name]) => !leaveOut.includes(name))
    .flatMap(([name, schema]) => {
      const isShown = conditions[`${type.type}.${name}`]
      const shown = isShown ? { isShown } : {}
      if (!isNested(schema)) {
        // A secret that is asked for only with another choice cannot be done without then.
        const isNeeded = needed.includes(name) || (isShown !== undefined && schema['x-secret'] === true)
        return [{ ...fieldOf(`config.${name}`, schema, isNeeded, inputs), group: type.title, ...shown }]
      }
      return nestedFields(`config.${name}`, schema, inputs).map(field => ({
        ...field,
        group: wordsOf(name),
        isShown: (draft: Draft) => (isShown?.(draft) ?? true) && (field.isShown?.(draft) ?? true),
      }))
    })
}

/** Those that are needed, then a button that shows the others. */
export function nestedFields(path: string, schema: Property, { more, ...inputs }: Options): FieldHint[] {
  const needed = schema.required ?? []
  const all = Object.entries(schema.properties ?? {}).map(([name, own]) =>
    fieldOf(`${path}.${name}`, own, needed.includes(name), inputs),
  )
  if (!more) return all
  const isOpen = (draft: Draft) => draft[`${path}.${rest}`] === true
  return [
    ...all.filter(({ isNeeded }) => isNeeded),
    { name: `${path}.${rest}`, label: '', schema: { type: 'boolean' }, input: more, isShown: draft => !isOpen(draft) },
    ...all.filter(({ isNeeded }) => !isNeeded).map(field => ({ ...field, isShown: isOpen })),
  ]
}

function fieldOf(path: string, schema: Property, isNeeded: boolean, inputs: Inputs): FieldHint {
  const inner = path.slice('config.'.length)
  const [example] = schema.examples ?? schema.items?.enum ?? []
  const input = schema['x-secret'] ? inputs.secret : isPairs(schema) ? inputs.pairs : undefined
  return {
    name: path,
    label: labelOf(inner),
    schema,
    isNeeded,
    isNullable: !isNeeded && schema.type !== 'boolean',
    ...(typeof example === 'string' && !schema['x-secret'] && { placeholder: example }),
    ...(input && { input }),
    ...(schema.enum && { choices: choicesOf(schema.enum) }),
  }
}

function choicesOf(values: readonly (string | null)[]) {
  return values.map(String).map(value => ({ value, label: nameOf(value) }))
}

/** Methods of HTTP are written large. */
export function nameOf(value: string): string {
  return names[value] ?? (/^[A-Z]+$/.test(value) ? value : wordsOf(value))
}

/** Of a field by its path in the configuration. */
export function labelOf(path: string): string {
  return labels[path] ?? wordsOf(path.split('.').at(-1) ?? '')
}

/** Texts by names. */
export function isPairs({ type, additionalProperties }: Property & { additionalProperties?: unknown }): boolean {
  return type === 'object' && typeof additionalProperties === 'object'
}

/** A record as the form shows it: `config.mapping.title` for what stands there. */
export function flattened(config: Row): Row {
  return Object.fromEntries(
    Object.entries(config).flatMap(([name, value]): [string, unknown][] =>
      name === 'mapping' && typeof value === 'object' && value !== null
        ? Object.entries(value).map(([inner, own]) => [`config.mapping.${inner}`, own])
        : [[`config.${name}`, value]],
    ),
  )
}

/** What the fields say as the service wants it: of an object in the configuration all of it is sent, changed or not. */
export function gathered(input: Row, before: Row = {}): Row {
  const sent: Row = {}
  const config: Row = {}
  for (const [path, value] of Object.entries(input)) {
    const [root, name = '', inner] = path.split('.')
    if (inner === rest) continue
    if (root !== 'config') sent[path] = value
    else if (inner === undefined) config[name] = value
    else {
      const whole = { ...((config[name] ?? before[name] ?? {}) as Row) }
      if (value === null) delete whole[inner]
      else whole[inner] = value
      config[name] = whole
    }
  }
  return Object.keys(config).length > 0 ? { ...sent, config } : sent
}
