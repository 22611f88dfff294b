// Carries out what integrations are used for: tests, requests, queries.
import { hash } from 'node:crypto'
import { conflict } from '../../../contract/errors.ts'
import type { Caller, Origin } from '../../../kit/context.ts'
import { asRead, implement, staged } from '../../../kit/implement.ts'
import { found } from '../../../kit/outcomes.ts'
import { pageOfAlerts } from '../../issues/alerts/store.ts'
import * as issues from '../../issues/store.ts'
import { opened, openedToUse } from '../opening.ts'
import { using } from './contract.ts'
import { ask, rangeOf } from './prometheus.ts'
import { jsonOf, request } from './requesting.ts'
import { tried } from './trying.ts'

export default implement(using, {
  'integrations.test': staged(
    async (ctx, { workspaceId, id }) =>
      await tried({ ...ctx, by: ctx.caller.ownerId }, await opened(ctx, workspaceId, id)),
    async ({ note }, { id }, result) => {
      note({ target: { object: 'integration', id }, after: { ok: result.ok } })
      return result
    },
  ),

  'integrations.call': staged(
    async (ctx, { workspaceId, id, input = {} }) => {
      const target = await openedToUse(ctx, workspaceId, id, 'custom')
      return await request(ctx.fetch, target, input, repeatKeyOf(ctx))
    },
    async ({ note }, { id }, { code, contentType, text, error }) => {
      if (code === null) throw conflict(error ?? 'The target did not answer.')
      const json = jsonOf(contentType, text)
      note({ target: { object: 'integration', id }, after: { status: code } })
      return {
        status: code,
        ok: error === null,
        contentType,
        json: json ?? null,
        text: json === undefined ? text : null,
      }
    },
  ),

  'integrations.prometheus.query': staged(async (ctx, { workspaceId, id, query, time }) => {
    const target = await openedToUse(ctx, workspaceId, id, 'prometheus')
    return await ask(ctx.fetch, target, 'query', { query, ...(time && { time: String(Date.parse(time) / 1_000) }) })
  }, asRead),

  'integrations.prometheus.queryRange': staged(async (ctx, { workspaceId, id, query, from, to, step = 60 }) => {
    const target = await openedToUse(ctx, workspaceId, id, 'prometheus')
    return await ask(ctx.fetch, target, 'query_range', { query, ...rangeOf(from, to, step) })
  }, asRead),

  'integrations.prometheus.issue': staged(async (ctx, { workspaceId, id, issueId }) => {
    const target = await openedToUse(ctx, workspaceId, id, 'prometheus')
    await found(issues.find(ctx.db, workspaceId, issueId), 'issue')
    const { items } = await pageOfAlerts(ctx.db, { perPage: 20 }, workspaceId, issueId)
    const named = items.find(({ alert }) => typeof alert.fields?.expression === 'string')
    if (!named) throw conflict('No alert of this issue names an expression: Alertmanager sends it in generatorURL.')
    const [query, at] = [String(named.alert.fields?.expression), Date.parse(named.at)]
    const from = new Date(at - 2 * hourMs).toISOString()
    const to = new Date(Math.min(at + hourMs, ctx.now().getTime())).toISOString()
    return { query, ...(await ask(ctx.fetch, target, 'query_range', { query, ...rangeOf(from, to, 60) })) }
  }, asRead),
})

const hourMs = 3_600_000

/** For the receiver, who can tell by it that it has done this before; nobody can guess it, nor the key it is made of. */
function repeatKeyOf({ caller, origin }: { caller: Caller; origin: Origin }): string | null {
  const { idempotencyKey: key } = origin
  return key === null ? null : hash('sha256', JSON.stringify([caller.credentialId, key]), 'base64url')
}
