// The fields of a form from what a provider takes: configuration and credentials are taken apart, and put together again.
import type { ComponentType } from 'react'
import { operation } from '../../contract.ts'
import type { Draft, FieldHint, FieldProps } from '../../form/field.ts'
import { wordsOf } from '../../format.ts'
import type { Row } from '../../named.ts'
import { bare, type JsonSchema } from '../schema.ts'
import type { Provider } from './account.ts'

type Property = JsonSchema & { examples?: unknown[] }
type Inputs = { secret: ComponentType<FieldProps>; traces: ComponentType<FieldProps>; long: ComponentType<FieldProps> }

const labels: Readonly<Record<string, string>> = {
  roleArn: 'ARN of the role',
  endpoint: 'Another endpoint',
  server: 'Address of the API',
  ca: 'Certificate authority',
  include: 'Also read',
  repositoryId: 'Repository',
  path: 'Path in the repository',
  ref: 'Branch or tag',
  datasetId: 'Dataset of traces',
  accessKeyId: 'Access key ID',
  kubeconfig: 'Kubeconfig',
  clientCert: 'Client certificate',
  clientKey: 'Key of the client certificate',
}

export function labelOfField(name: string): string {
  return labels[name] ?? wordsOf(name)
}

/** Without them there is nothing to read. */
const needed: Readonly<Record<string, readonly string[]>> = {
  manifests: ['repositoryId'],
  telemetry: ['datasetId'],
  docker: ['address'],
}

const isFilled = (draft: Draft, ...names: string[]) => names.some(name => Boolean(draft[name]))
const hasKubeconfig = (draft: Draft) => isFilled(draft, 'credentials.kubeconfig')

/** What goes with something else, or instead of it. */
const conditions: Readonly<Record<string, (draft: Draft) => boolean>> = {
  'config.path': draft => isFilled(draft, 'config.repositoryId'),
  'config.ref': draft => isFilled(draft, 'config.repositoryId'),
  'kubernetes config.server': draft => !hasKubeconfig(draft),
  'kubernetes config.ca': draft => !hasKubeconfig(draft),
  'kubernetes credentials.token': draft => !hasKubeconfig(draft),
  'kubernetes credentials.clientCert': draft => !hasKubeconfig(draft),
  'kubernetes credentials.clientKey': draft => !hasKubeconfig(draft),
  'credentials.kubeconfig': draft => !isFilled(draft, 'config.server', 'credentials.token', 'credentials.clientCert'),
}

export function propertiesOf({ config }: Provider): Record<string, Property> {
  return (config as Property).properties ?? {}
}

export function configFields(provider: Provider, inputs: Inputs): FieldHint[] {
  return Object.entries(propertiesOf(provider)).map(([name, schema]) => {
    const isLong = schema.pattern?.includes('-----BEGIN') ?? false
    const input = name === 'datasetId' ? inputs.traces : isLong ? inputs.long : undefined
    const isPathOfState = provider.provider === 'terraform_state' && name === 'path'
    const isNeeded = isPathOfState || (needed[provider.provider]?.includes(name) ?? false)
    return { ...fieldOf(provider, `config.${name}`, schema, isNeeded), ...(input && { input }) }
  })
}

/** Of which fields they are is told by the catalog, what each is by the contract. */
export function credentialFields(provider: Provider, { secret }: Pick<Inputs, 'secret'>): FieldHint[] {
  const body = operation('cloud_accounts.post')?.body as JsonSchema | undefined
  const known = bare(body?.properties?.credentials ?? {}).properties ?? {}
  return provider.secrets.map(name => ({
    ...fieldOf(provider, `credentials.${name}`, known[name] ?? { type: 'string' }, false),
    input: secret,
  }))
}

function fieldOf(provider: Provider, name: string, schema: Property, isNeeded: boolean): FieldHint {
  const isShown = conditions[`${provider.provider} ${name}`] ?? conditions[name]
  const [example] = schema.examples ?? []
  return {
    name,
    label: labelOfField(name.slice(name.indexOf('.') + 1)),
    schema: bare(schema),
    isNeeded,
    isNullable: !isNeeded,
    about: schema.description?.replaceAll('`', ''),
    ...(typeof example === 'string' && !schema['x-id'] && { placeholder: example }),
    ...(isShown && { isShown }),
  }
}

/** A record as the form shows it. */
export function flattened(config: Row): Row {
  return Object.fromEntries(Object.entries(config).map(([name, value]) => [`config.${name}`, value]))
}

/** What the fields say as the service wants it: both parts replace what was there, so all of the first is sent. */
export function gathered(input: Row, before?: Row): Row {
  const sent: Row = {}
  const parts: Record<string, Row> = { config: { ...before }, credentials: {} }
  const touched = new Set<string>()
  for (const [path, value] of Object.entries(input)) {
    const dot = path.indexOf('.')
    const part = parts[path.slice(0, dot)]
    if (!part) sent[path] = value
    else {
      touched.add(path.slice(0, dot))
      const name = path.slice(dot + 1)
      if (isNothing(value)) delete part[name]
      else part[name] = value
    }
  }
  for (const name of touched) sent[name] = parts[name]
  return sent
}

function isNothing(value: unknown): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0)
}
