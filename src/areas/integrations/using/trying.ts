// A real call with an integration, as a test: what is sent, what comes back, and what that means.
import type { BeforeContext, Context } from '../../../kit/context.ts'
import { newToken } from '../../../kit/tokens.ts'
import { call } from '../calling.ts'
import { headersOf as hostHeaders, testAddressOf } from '../hosts/credentials.ts'
import { HostFault } from '../hosts/faults.ts'
import { bodyFor, deliver, nobody, recipientsOf, type Target } from '../kinds.ts'
import type { EventView } from '../messages/event_view.ts'
import { toolsOf } from '../tools/connecting.ts'
import { headersOf } from './prometheus.ts'
import { request } from './requesting.ts'

export type Trying = Pick<Context & BeforeContext, 'db' | 'settings' | 'fetch' | 'now'> & { by: string }

export type Tried = {
  ok: boolean
  detail: string
  code: number | null
  request: string | null
  response: string | null
}

const timeoutSeconds = 15

/** Mails are sent by jobs; that a mail can go is seen in its delivery. */
export async function tried(ctx: Trying, target: Target): Promise<Tried & { ms: number }> {
  const began = performance.now()
  const outcome = await triedAs(ctx, target)
  return { ...outcome, ms: Math.round(performance.now() - began) }
}

async function triedAs(ctx: Trying, target: Target): Promise<Tried> {
  switch (target.type) {
    case 'webhook':
    case 'slack':
    case 'discord':
    case 'teams':
    case 'mattermost':
      return await sentEvent(ctx, target)
    case 'prometheus':
      return await asked(ctx, target, `${base(target)}/api/v1/status/buildinfo`, headersOf(target))
    case 'github':
    case 'gitlab':
    case 'gitea':
      return await askedHost(ctx, target)
    case 'mcp': {
      const { server, tools } = await toolsOf(ctx, target)
      return plain(
        true,
        `${server.name} ${server.version} has ${tools.length} tools (protocol ${server.protocolVersion}).`,
      )
    }
    case 'custom': {
      const { code, text, error } = await request(ctx.fetch, target, {})
      return {
        ok: error === null,
        detail: error ?? `The target answered ${code}.`,
        code,
        request: null,
        response: text,
      }
    }
    case 'inbound':
      return plain(true, 'Nothing is called: send something to its address, and look at its payloads.')
    case 'email': {
      const count = (await recipientsOf(ctx.db, target)).length
      if (count === 0) return plain(false, nobody)
      const all = Array.isArray(target.config.to) ? target.config.to.length : count
      return plain(true, `Mails go to ${count} of ${all} addresses: those that are verified ones of members.`)
    }
  }
}

function plain(ok: boolean, detail: string): Tried {
  return { ok, detail, code: null, request: null, response: null }
}

const base = ({ config }: Target) => String(config.url).replace(/\/+$/, '')

async function sentEvent(ctx: Trying, target: Target): Promise<Tried> {
  const at = ctx.now()
  const view: EventView = {
    type: 'integrations.test',
    timestamp: at.toISOString(),
    seq: 0,
    workspace: { id: target.workspaceId, name: null },
    target: { object: 'integration', id: target.id, title: target.name, url: null },
    actor: { type: 'user', id: ctx.by, name: null, callerKind: null, surface: 'rest' },
  }
  const told = { ...target, events: [], scopes: [], grantedBy: null, fromSeq: 0 }
  const body = bodyFor(told, view, ctx.settings.publicUrl)
  const message = { id: newToken('msg'), at, body }
  const unsent = () => Promise.reject(new Error('a test sends no mail'))
  const { isOk, code, error, responseBody } = await deliver({ ...ctx, sendMail: unsent }, target, message)
  return { ok: isOk, detail: error ?? `The target answered ${code}.`, code, request: body, response: responseBody }
}

async function askedHost(ctx: Trying, target: Target): Promise<Tried> {
  try {
    return await asked(ctx, target, testAddressOf(target), await hostHeaders(ctx, target))
  } catch (error) {
    if (error instanceof HostFault) return plain(false, error.text)
    throw error
  }
}

async function asked(ctx: Trying, target: Target, url: string, headers: Record<string, string>): Promise<Tried> {
  // With and without the word before it: a token of an app is none of the secrets that are set.
  const sent = Object.values(headers).flatMap(value => [value, value.slice(value.indexOf(' ') + 1)])
  const secrets = [...Object.values(target.secrets), ...sent]
  const { code, text, error } = await call(ctx.fetch, { url, method: 'GET', headers, timeoutSeconds, secrets })
  const detail =
    code === 401 || code === 403 ? 'The target refuses the credentials.' : (error ?? 'The target answered.')
  return { ok: error === null, detail, code, request: `GET ${url}`, response: text }
}
