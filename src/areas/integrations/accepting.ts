// What is sent about an integration, as far as it fits together: its configuration, address, events and scopes.
import type { TObject } from 'typebox'
import { Compile } from 'typebox/compile'
import { badRequest, forbidden, refused } from '../../contract/errors.ts'
import { scopesHeld, scopesLacking } from '../../contract/permissions.ts'
import type { Scope } from '../../contract/scopes.ts'
import { type BeforeContext, type Caller, ForbiddenAddress } from '../../kit/context.ts'
import { once } from '../../kit/once.ts'
import type { Settings } from '../../kit/settings.ts'
import { refuseUnknownEvents, scopesFor } from './event_kinds.ts'
import { type IntegrationType, types } from './types/contract.ts'
import { secretNames } from './types/given/contract.ts'

export type Config = Readonly<Record<string, unknown>>
export type Parts = { config: Config; secrets: Readonly<Record<string, string>> }

const validators = new Map(
  Object.entries(types).map(([type, { config }]) => [type as IntegrationType, once(() => Compile(config as TObject))]),
)

/** Secrets apart from the rest. Null and the empty text mean that a field is taken away. */
export function partsOf(type: IntegrationType, given: Config): { set: Parts; taken: string[] } {
  const names = new Set(secretNames(type))
  const entries = Object.entries(given)
  const isTaken = ([, value]: [string, unknown]) => value === null || value === ''
  const kept = entries.filter(entry => !isTaken(entry))
  return {
    set: {
      config: Object.fromEntries(kept.filter(([name]) => !names.has(name))),
      secrets: Object.fromEntries(kept.filter(([name]) => names.has(name))) as Record<string, string>,
    },
    taken: entries.filter(isTaken).map(([name]) => name),
  }
}

export function refuseConfig(type: IntegrationType, { config, secrets }: Parts): void {
  const validator = validators.get(type)?.()
  const schema = types[type].config as TObject
  const whole: Record<string, unknown> = { ...config, ...secrets }
  const errors = validator?.Check(whole) ? [] : [...(validator?.Errors(whole) ?? [])]
  for (const error of errors) {
    const { instancePath, keyword, message, params } = error as {
      instancePath: string
      keyword: string
      message: string
      params: Record<string, unknown>
    }
    if (keyword === 'boolean' || keyword === 'anyOf') continue
    const names = [params.requiredProperties ?? params.additionalProperties ?? []].flat() as string[]
    const path = ['config', ...instancePath.split('/').filter(Boolean), ...names.slice(0, 1)].join('.')
    throw refused(path, keyword, expectationOf(schema, path, keyword, message))
  }
  if (errors.length > 0) throw badRequest(`"config" is not what the catalog says of ${type}.`)
}

function expectationOf(schema: TObject, path: string, keyword: string, message: string): string {
  if (keyword === 'required') return 'present'
  if (keyword === 'additionalProperties') return `one of ${Object.keys(schema.properties).join(', ')}`
  const [, name = ''] = path.split('.')
  const hint = (schema.properties[name] as { 'x-hint'?: string } | undefined)?.['x-hint']
  return keyword === 'pattern' && hint ? hint : message.replace(/^must (be |have )?/, '')
}

/** The address that secrets go to; another one must not be sent those that somebody else has put in. */
export function addressOf({ config, secrets }: Parts): string | null {
  const url = config.url ?? config.apiUrl ?? secrets.webhookUrl
  return typeof url === 'string' ? url : null
}

export function originOf(address: string | null): string | null {
  return address !== null && URL.canParse(address) ? new URL(address).origin : null
}

/** Addresses that may not be called are refused at once; what cannot be looked up now shows in the first call. */
export async function refuseAddress(
  ctx: Pick<BeforeContext, 'fetch'> & { settings: Settings },
  type: IntegrationType,
  parts: Parts,
): Promise<void> {
  const address = addressOf(parts)
  if (address === null) return
  const field = parts.config.url ? 'config.url' : parts.config.apiUrl ? 'config.apiUrl' : 'config.webhookUrl'
  // Places of a template stand in its path and query only, and are no part of the address.
  if (!URL.canParse(address)) throw refused(field, 'url', 'an address that begins with https://')
  // An event that comes back in at an own address makes the next event.
  const isOwn = originOf(address) === originOf(ctx.settings.publicUrl)
  if (isOwn && (types[type].directions as readonly string[]).includes('out')) {
    throw refused(field, 'address', 'an address of another service: events that come back here would go round for ever')
  }
  try {
    await ctx.fetch(address, { isRehearsal: true, timeoutMs: 5_000 })
  } catch (error) {
    if (error instanceof ForbiddenAddress) throw refused(field, 'address', `one that may be called: ${error.message}`)
  }
}

/** Nobody gives what they do not have. */
export function scopesOf(
  caller: Caller,
  type: IntegrationType,
  events: readonly string[],
  given?: readonly Scope[],
): Scope[] {
  refuseUnknownEvents(events)
  if (events.length > 0 && !(types[type].directions as readonly string[]).includes('out')) {
    throw refused('events', 'events', `empty: integrations of the type ${type} are sent none`)
  }
  if (given === undefined) {
    const held = new Set(scopesHeld(caller))
    return scopesFor(events).filter(scope => held.has(scope))
  }
  const missing = scopesLacking(caller, given)
  if (missing.length > 0) {
    const detail = `An integration sees at most what you may: you lack ${missing.join(', ')}.`
    throw forbidden(detail, { reason: 'scope', missing })
  }
  return [...new Set(given)].sort()
}
