// Carries out the operations on integrations themselves; using, deliveries, payloads and tools are spread in.
import { badRequest, conflict } from '../../contract/errors.ts'
import type { Db } from '../../kit/db.ts'
import { type Implementation, implement, staged } from '../../kit/implement.ts'
import { found, patched } from '../../kit/outcomes.ts'
import { newId } from '../../kit/random.ts'
import { openValues, sealValues } from '../../kit/sealed.ts'
import type { Settings } from '../../kit/settings.ts'
import { underFreeSlug } from '../../kit/slugs.ts'
import { hintOf, newToken, tokenHash } from '../../kit/tokens.ts'
import { newSigningSecret } from '../../kit/webhook_signing.ts'
import { findHead } from '../audit_logs/store.ts'
import { enter } from '../workspaces/entering/store.ts'
import {
  addressOf,
  type Config,
  originOf,
  type Parts,
  partsOf,
  refuseAddress,
  refuseConfig,
  scopesOf,
} from './accepting.ts'
import { catalog } from './catalog.ts'
import { ownIntegrations } from './contract.ts'
import deliveryHandlers from './deliveries/handlers.ts'
import { forgive } from './deliveries/targets/store.ts'
import { IntegrationId } from './fields/contract.ts'
import inboundHandlers from './inbound/handlers.ts'
import { refuseByType } from './kinds.ts'
import oauthHandlers from './oauth/handlers.ts'
import peopleHandlers from './people/handlers.ts'
import * as store from './store.ts'
import toolHandlers from './tools/handlers.ts'
import { type IntegrationType, secretsColumn, types } from './types/contract.ts'
import usingHandlers from './using/handlers.ts'

/** Each event is held against all of them. */
const mostIntegrations = 100

const own = implement(ownIntegrations, {
  'integrations.catalog': async () => catalog(),

  'integrations.list': ({ db, settings }, { workspaceId, ...query }) =>
    store.pageOfIntegrations(db, query, workspaceId, settings.publicUrl),

  'integrations.get': (ctx, { workspaceId, id }) => existing(ctx, workspaceId, id),

  'integrations.post': staged(
    async (ctx, { workspaceId, type, config = {} }) => {
      const { set } = partsOf(type, config)
      refuseConfig(type, set)
      await refuseAddress(ctx, type, set)
      await refuseByType(ctx, workspaceId, type, set)
      return set
    },
    async (ctx, { workspaceId, name, type, events = [], scopes }, { config, secrets }) => {
      const { db, caller, now, settings } = ctx
      const granted = scopesOf(caller, type, events, scopes)
      await enter(db, caller, workspaceId)
      await refuseMore(db, workspaceId)
      const id = newId(IntegrationId)
      const secret = type === 'webhook' ? newSigningSecret() : null
      const token = hasAddress(type) ? newToken('hook') : null
      const fields = {
        ...{
          id,
          workspaceId,
          ownerId: caller.ownerId,
          name,
          type,
          config,
          events,
          scopes: granted,
          grantedBy: caller.ownerId,
        },
        secrets: sealValues(settings, secretsColumn, id, { ...secrets, ...(secret && { secret }) }),
        fromSeq: await headOf(db, workspaceId),
        inboundHint: token && hintOf(token),
      }
      const made = await underFreeSlug(name, slug => store.insert(db, { ...fields, slug }, settings.publicUrl, now()))
      if (token) await store.replaceToken(db, id, tokenHash(token), null, now())
      return withSecrets(settings, made, { secret, token })
    },
  ),

  'integrations.patch': staged(
    async (ctx, { workspaceId, id, config }) => {
      if (config === undefined) return null
      const before = await found(store.connection(ctx.db, workspaceId, id), 'integration')
      const merged = mergedWith(ctx.settings, before, config)
      await refuseAddress(ctx, before.type, merged)
      await refuseByType(ctx, workspaceId, before.type, merged)
      return { config }
    },
    async (ctx, { workspaceId, id, name, events, scopes, status }, given) => {
      const { db, caller, now, note, settings } = ctx
      const before = await found(store.findForUpdate(db, workspaceId, id, settings.publicUrl), 'integration')
      const changes: store.Changes = {}
      if (name !== undefined) changes.name = name
      if (given) {
        const connection = await found(store.connection(db, workspaceId, id), 'integration')
        const parts = mergedWith(settings, connection, given.config)
        changes.config = parts.config
        changes.secrets = sealValues(settings, secretsColumn, id, parts.secrets)
      }
      if (events !== undefined || scopes !== undefined) {
        changes.events = events ?? before.events
        changes.grantedBy = caller.ownerId
        changes.scopes = scopesOf(caller, before.type, changes.events, scopes ?? (events ? undefined : before.scopes))
      }
      if (status !== undefined && status !== before.status) changes.status = status
      return await patched(note, before, changes, async () => {
        // What happened while it was paused is not for it.
        if (changes.status === 'active') {
          if (before.status !== 'failing') changes.fromSeq = await headOf(db, workspaceId)
          await forgive(db, id)
        }
        await store.update(db, id, changes, now())
        if (changes.status === 'active') await ctx.enqueue('integrations.send', { id })
        return await existing(ctx, workspaceId, id)
      })
    },
  ),

  'integrations.rotateSecret': async (ctx, { workspaceId, id, overlapHours = 0 }) => {
    const { db, now, note, settings } = ctx
    const before = await found(store.findForUpdate(db, workspaceId, id, settings.publicUrl), 'integration')
    note({ before })
    const oldUntil = overlapHours > 0 ? new Date(now().getTime() + overlapHours * 3_600_000) : null
    if (before.type === 'webhook') {
      const connection = await found(store.connection(db, workspaceId, id), 'integration')
      const { previousSecret: _, ...opened } = openValues(settings, secretsColumn, id, connection.secrets)
      const secret = newSigningSecret()
      const all: Record<string, string> = { ...opened, secret }
      if (oldUntil && opened.secret) all.previousSecret = opened.secret
      const secrets = sealValues(settings, secretsColumn, id, all)
      await store.update(db, id, { secrets, oldSecretUntil: oldUntil }, now())
      return withSecrets(settings, await existing(ctx, workspaceId, id), { secret, token: null })
    }
    if (!hasAddress(before.type)) throw conflict(`An integration of the type ${before.type} has no secret of ours.`)
    const token = newToken('hook')
    await store.replaceToken(db, id, tokenHash(token), oldUntil, now())
    await store.update(db, id, { inboundHint: hintOf(token) }, now())
    return withSecrets(settings, await existing(ctx, workspaceId, id), { secret: null, token })
  },

  'integrations.del': async (ctx, { workspaceId, id }) => {
    const { db, note, settings } = ctx
    const before = await found(store.findForUpdate(db, workspaceId, id, settings.publicUrl), 'integration')
    note({ before })
    await store.remove(db, workspaceId, id)
    return { workspaceId, id, _object: 'integration' as const }
  },
})

export default {
  ...own,
  ...usingHandlers,
  ...deliveryHandlers,
  ...inboundHandlers,
  ...oauthHandlers,
  ...peopleHandlers,
  ...toolHandlers,
} satisfies Implementation

type Reading = { db: Db; settings: Settings }

function existing({ db, settings }: Reading, workspaceId: string, id: string): Promise<store.Shown> {
  return found(store.find(db, workspaceId, id, settings.publicUrl), 'integration')
}

function hasAddress(type: IntegrationType): boolean {
  return (types[type].directions as readonly string[]).includes('in')
}

async function headOf(db: Db, workspaceId: string): Promise<number> {
  return (await findHead(db, workspaceId))?.seq ?? 0
}

async function refuseMore(db: Db, workspaceId: string): Promise<void> {
  if ((await store.countOf(db, workspaceId)) < mostIntegrations) return
  throw conflict(`A workspace has at most ${mostIntegrations} integrations; delete one first.`)
}

function withSecrets(
  { publicUrl }: Settings,
  shown: store.Shown,
  { secret, token }: { secret: string | null; token: string | null },
) {
  return { ...shown, secret, inboundUrl: token ? store.inboundAddress(publicUrl, token) : shown.inboundUrl }
}

/** What it would be with these fields. Secrets do not follow to another address: whoever moves it sends them again. */
function mergedWith(settings: Settings, before: store.Connection, given: Config): Parts {
  const { set, taken } = partsOf(before.type, given)
  const opened = openValues(settings, secretsColumn, before.id, before.secrets)
  const { secret, previousSecret, ...theirs } = opened
  const without = (all: object) => Object.fromEntries(Object.entries(all).filter(([name]) => !taken.includes(name)))
  const config = { ...without(before.config), ...set.config }
  const was = originOf(addressOf({ config: before.config, secrets: theirs }))
  const is = originOf(addressOf({ config, secrets: { ...theirs, ...set.secrets } }))
  const kept = was === is ? without(theirs) : {}
  const ours = { ...(secret && { secret }), ...(previousSecret && { previousSecret }) }
  const secrets = { ...kept, ...set.secrets }
  refuseConfig(before.type, { config, secrets })
  const lost = was === is ? [] : Object.keys(theirs).filter(name => !(name in secrets) && !taken.includes(name))
  if (lost.length > 0) {
    const detail = `Another address is not sent the secrets of this one: send ${lost.join(', ')} along, or an empty text.`
    throw badRequest(
      detail,
      lost.map(name => ({ path: `config.${name}`, rule: 'required', expected: 'sent again' })),
    )
  }
  return { config, secrets: { ...secrets, ...ours } as Record<string, string> }
}
