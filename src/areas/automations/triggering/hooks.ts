// What comes in at the webhook of an automation: whose it is, whether it is signed, and what steps read of it.

import type { Content } from '../../../contract/content.ts'
import { notFound, slowDown, unauthorized } from '../../../contract/errors.ts'
import type { Context } from '../../../kit/context.ts'
import { openValues } from '../../../kit/sealed.ts'
import { tokenHash } from '../../../kit/tokens.ts'
import { type Received, readPayload } from '../../integrations/inbound/payloads.ts'
import { verify } from '../../integrations/inbound/signatures.ts'
import { hookColumn } from '../creating.ts'
import * as store from '../store.ts'
import { enqueueAll, start, wordsFor } from './starting.ts'

type Hooking = Pick<Context, 'db' | 'now' | 'settings' | 'enqueue'>

export async function hooked(ctx: Hooking, token: string, content: Content) {
  const { db, now, settings } = ctx
  const automation = await store.byHook(db, tokenHash(token))
  const trigger = automation?.definition.triggers.find(({ on }) => on === 'webhook')
  if (!automation || !trigger || !automation.enabled) throw notFound('webhook')
  const { bytes, headers = {} } = content
  const received = { headers, contentType: headers['content-type'] ?? '', bytes }
  if (trigger.signed) {
    const { hookSecret = '' } = openValues(settings, hookColumn, automation.id, automation.hookSecret)
    const scheme = headers['webhook-signature'] === undefined ? 'hmac' : 'standard'
    const verdict = verify(scheme, [hookSecret], received, now())
    if (!verdict.ok) throw unauthorized(verdict.reason)
  }
  const data = { on: 'webhook', at: now().toISOString(), body: bodyOf(received) }
  const one = { triggerOn: 'webhook' as const, triggerAt: now(), eventSeq: null, event: null, byUserId: null, data }
  const started = await start(db, automation, [one], now())
  const [made] = started.made
  if (!made) throw slowDown(wordsFor(started.reason, automation.definition), 60)
  await enqueueAll(ctx, [made])
  return { executionId: made.id, status: 'pending' }
}

/** JSON where it is some, else the text. */
function bodyOf(received: Received): unknown {
  const read = readPayload(received)
  return 'payload' in read ? read.payload : Buffer.from(received.bytes).toString('utf8').replaceAll('\u0000', '')
}
