// What tests of Stripe share: a workspace whose plan is paid there, and the events that are sent to it.
import { expect } from 'vitest'
import { sql } from '../../src/kit/sql.ts'
import type { Answer, TestCaller, TestPlatform } from '../helpers/platform.ts'
import { payingBy } from './calls.ts'
import type { Event } from './stripe_objects.ts'
import { signed, type stripe } from './stripe_server.ts'

export const urls = { successUrl: 'https://app.example.com/done', cancelUrl: 'http://127.0.0.1:3000/back' }

export type Payer = Awaited<ReturnType<typeof payerOf>>

export async function payerOf(p: TestPlatform, s: Awaited<ReturnType<typeof stripe>>) {
  s.setDeclined(false)
  s.events.length = 0
  // By a key: sessions would end while months pass.
  const owner: TestCaller = await p.key(await p.user())
  const { workspaceId } = owner
  await payingBy(p, workspaceId, 'stripe')

  const call = (id: string, input: Record<string, unknown> = {}) => p.call(id, { workspaceId, ...input }, owner)

  function send(event: Event | string, header?: string): Promise<Answer> {
    const payload = typeof event === 'string' ? event : JSON.stringify(event)
    const signature = header ?? signed(payload, p.now())
    const headers = { 'content-type': 'application/json', ...(signature && { 'stripe-signature': signature }) }
    return p.request({ method: 'POST', url: '/v1/billing/webhooks/stripe', headers, payload })
  }

  /** As Stripe sends: again and later, signed anew, until it is taken. What was answered each time. */
  async function sendUntilTaken(event: Event, pauses: readonly (() => void)[]): Promise<number[]> {
    const answers = [(await send(event)).status]
    for (const pause of pauses) {
      if (answers.at(-1) === 200) break
      pause()
      answers.push((await send(event)).status)
    }
    return answers
  }

  /** Sends what there is, in some order, and lets the jobs run that it asks for. */
  async function deliver(events: readonly Event[] = s.events.splice(0)) {
    for (const event of events) {
      expect((await send(event)).status).toBe(200)
      const { id, object } = event.data.object as { id: string; object: string }
      if (object === 'invoice')
        await p.platform.jobs.runNow('subscriptions.mirrorInvoice', { workspaceId, externalId: id })
      await p.platform.jobs.runNow('subscriptions.mirror', { workspaceId })
    }
    // Those that the events have asked for write the same again: not while a test compares.
    await expect.poll(unfinished, { timeout: 30_000, interval: 20 }).toBe(0)
  }

  async function unfinished(): Promise<number> {
    const [row] = await p.database.query<{ count: number }>(sql`
      select count(*)::int as count from jobs.job
      where data ->> 'workspaceId' = ${workspaceId} and name like 'subscriptions.mirror%' and state < 'completed'`)
    return row?.count ?? 0
  }

  /** The plan without a trial. */
  async function subscribed(seats = 3): Promise<string> {
    const { status, result } = await call('subscriptions.checkout', { plan: 'team', cycle: 'monthly', seats, ...urls })
    expect(status).toBe(202)
    const id = s.complete(result.url)
    p.advance(14 * 86_400_000 + 1_000)
    s.renew(id)
    await deliver()
    return id
  }

  const shown = async () => (await call('subscriptions.get')).result
  return { owner, workspaceId, call, shown, send, sendUntilTaken, deliver, subscribed }
}
