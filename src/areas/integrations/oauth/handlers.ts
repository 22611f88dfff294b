// Sends people to the authorization server of an MCP server, and keeps what they come back with.
import { conflict } from '../../../contract/errors.ts'
import type { Db } from '../../../kit/db.ts'
import { implement, staged } from '../../../kit/implement.ts'
import { found } from '../../../kit/outcomes.ts'
import { sealValues } from '../../../kit/sealed.ts'
import { tokenHash } from '../../../kit/tokens.ts'
import { enter } from '../../workspaces/entering/store.ts'
import { opened } from '../opening.ts'
import * as integrations from '../store.ts'
import { inWords } from '../tools/connecting.ts'
import { begin, exchanged, moved } from './asking.ts'
import { oauth, startSecrets } from './contract.ts'
import * as store from './store.ts'
import { isFor, sealedTokens } from './tokens.ts'

const startMs = 10 * 60_000

export default implement(oauth, {
  'integrations.oauth.get': ({ db }, { workspaceId, id }) => connected(db, workspaceId, id),

  'integrations.oauth.start': staged(
    async (ctx, { workspaceId, id }) => {
      const target = await opened(ctx, workspaceId, id, 'mcp')
      return await inWords(() => begin(ctx, target))
    },
    async ({ db, caller, now, note, settings }, { workspaceId, id }, begun) => {
      const { goTo, state, codeVerifier, clientSecret, ...asked } = begun
      await enter(db, caller, workspaceId)
      await keepAt(db, workspaceId, id, asked.url)
      const of = { id: tokenHash(state), integrationId: id, workspaceId, userId: caller.ownerId }
      const secrets = sealValues(settings, startSecrets, of.id, { codeVerifier, ...(clientSecret && { clientSecret }) })
      const expiresAt = new Date(now().getTime() + startMs)
      await store.insertStart(db, { ...of, ...asked, secrets }, expiresAt, now())
      note({ target: { object: 'integration', id }, after: {} })
      return { url: goTo, expiresAt: expiresAt.toISOString() }
    },
  ),

  'integrations.oauth.finish': staged(
    async (ctx, { workspaceId, state, code, iss }) => {
      // Used up before the code is: whatever happens next, nobody comes with this state again.
      const start = await store.takeStart(
        ctx.db,
        { id: tokenHash(state), workspaceId, userId: ctx.caller.ownerId },
        ctx.now(),
      )
      if (!start) throw conflict('This was used already, has ended, or was begun by somebody else; connect again.')
      const target = await opened(ctx, workspaceId, start.integrationId, 'mcp')
      return { start, ...(await inWords(() => exchanged(ctx, target, start, { code, iss }))) }
    },
    async ({ db, caller, now, note, settings }, { workspaceId }, { start, tokens, clientSecret }) => {
      const { id: _, integrationId: id, secrets: __, ...asked } = start
      await enter(db, caller, workspaceId)
      await keepAt(db, workspaceId, id, asked.url)
      const before = await connected(db, workspaceId, id)
      const { scope, expiresAt } = tokens
      const secrets = sealedTokens(settings, id, tokens, clientSecret)
      await store.putGrant(db, { ...asked, id, secrets, scope, expiresAt }, now())
      const after = await connected(db, workspaceId, id)
      note({ target: { object: 'integration', id }, before, after })
      return after
    },
  ),

  'integrations.oauth.del': async ({ db, note }, { workspaceId, id }) => {
    await found(integrations.findForUpdate(db, workspaceId, id, ''), 'integration')
    await found(store.grantOf(db, workspaceId, id), 'connection')
    note({ target: { object: 'integration', id }, before: await connected(db, workspaceId, id) })
    // With its client: whoever connects it anew begins from nothing.
    await store.removeStarts(db, workspaceId, id)
    await store.removeGrant(db, workspaceId, id)
    return { workspaceId, id, _object: 'integration_oauth' as const }
  },
})

/** Nobody moves it meanwhile: what was asked for is of this address. */
async function keepAt(db: Db, workspaceId: string, id: string, url: string): Promise<void> {
  const { config } = await found(integrations.findForUpdate(db, workspaceId, id, ''), 'integration')
  if (config.url !== url) throw conflict(moved)
}

async function connected(db: Db, workspaceId: string, id: string): Promise<store.Connected> {
  const target = await found(integrations.connection(db, workspaceId, id), 'integration')
  const grant = await store.grantOf(db, workspaceId, id)
  const isOfNow = grant !== undefined && isFor(grant, target)
  return {
    workspaceId,
    integrationId: id,
    isConnected: isOfNow && !grant.needsConsent,
    needsConsent: isOfNow && grant.needsConsent,
    issuer: grant?.discovered.issuer ?? null,
    userId: grant?.userId ?? null,
    scope: grant?.scope ?? null,
    expiresAt: grant?.expiresAt ?? null,
    connectedAt: grant?.created ?? null,
    _object: 'integration_oauth',
  }
}
