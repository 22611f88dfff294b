// What the stand-in for Stripe keeps: customers, sessions, subscriptions and invoices, and the events that tell of them.
import type { PlanFile } from '../../src/contract/plans.ts'

import {
  type Event,
  type Invoice,
  type Item,
  type Line,
  newId,
  type Params,
  type Price,
  pricesOf,
  StripeFault,
  type Subscription,
} from './stripe_objects.ts'
import { routesOf } from './stripe_routes.ts'

export function books(file: PlanFile) {
  const prices = pricesOf(file)
  const customers = new Map<string, { id: string; object: 'customer'; metadata: Record<string, string> }>()
  const sessions = new Map<string, Params & { id: string }>()
  const subscriptions = new Map<string, Subscription>()
  const invoices = new Map<string, Invoice>()
  const events: Event[] = []
  let now = () => new Date()
  let declined = false

  const seconds = () => Math.floor(now().getTime() / 1000)
  const tell = (type: string, object: unknown) => {
    const data = { object: JSON.parse(JSON.stringify(object)) as unknown }
    events.push({ id: newId('evt'), object: 'event', type, created: seconds(), data })
  }
  const found = <T>(map: Map<string, T>, id: string | undefined, what: string): T => {
    const one = map.get(id ?? '')
    if (!one) throw new StripeFault(404, `No such ${what}: '${id}'`, 'resource_missing')
    return one
  }
  const priceOf = (id: string | undefined) => {
    const price = prices.get(id ?? '')
    if (!price) throw new StripeFault(400, `No such price: '${id}'`, 'resource_missing')
    return price
  }
  const after = (start: number, months: number) => {
    const date = new Date(start * 1000)
    date.setUTCMonth(date.getUTCMonth() + months)
    return date.getTime() / 1000
  }
  let count = 0

  function invoiceOf(subscription: Subscription, lines: Line[]): Invoice {
    const total = lines.reduce((sum, { amount }) => sum + amount, 0)
    const currency = priceOf(subscription.items.data[0]?.price.id).currency
    const id = newId('in')
    return {
      id,
      object: 'invoice',
      number: `STANDIN-${String(++count).padStart(4, '0')}`,
      customer: subscription.customer,
      status: 'open',
      currency,
      total,
      total_excluding_tax: total,
      amount_due: Math.max(0, total),
      due_date: null,
      created: seconds(),
      period_start: lines[0]?.period.start ?? seconds(),
      period_end: lines.at(-1)?.period.end ?? seconds(),
      hosted_invoice_url: `https://invoice.stripe.test/${id}`,
      status_transitions: { paid_at: null },
      lines: { object: 'list', data: lines.map(line => ({ ...line, id: newId('il') })), has_more: false },
    }
  }

  function finalize(subscription: Subscription, lines: Line[]) {
    const invoice = invoiceOf(subscription, lines)
    invoices.set(invoice.id, invoice)
    tell('invoice.finalized', invoice)
    if (declined) {
      subscription.status = 'past_due'
      tell('invoice.payment_failed', invoice)
      tell('customer.subscription.updated', subscription)
    } else pay(invoice)
    return invoice
  }

  function pay(invoice: Invoice) {
    invoice.status = 'paid'
    invoice.status_transitions.paid_at = seconds()
    tell('invoice.paid', invoice)
  }

  /** What is left of a period, rounded as Stripe rounds. */
  function prorated(item: Item, price: Price, quantity: number, at: number): Line[] {
    const old = priceOf(item.price.id)
    if (price.id === old.id && quantity === item.quantity) return []
    const span = { start: at, end: item.current_period_end }
    const share = (item.current_period_end - at) / (item.current_period_end - item.current_period_start)
    const unused = { amount: -Math.round(old.unit * item.quantity * share), quantity: item.quantity }
    const rest = { amount: Math.round(price.unit * quantity * share), quantity }
    return [
      { ...unused, description: `Unused time on ${old.id}`, period: span },
      { ...rest, description: `Remaining time on ${price.id}`, period: span },
    ]
  }

  function changeLines(item: Item, price: Price, quantity: number, at: number): Line[] {
    if (price.months === priceOf(item.price.id).months) return prorated(item, price, quantity, at)
    const [unused] = prorated(item, price, quantity, at) as [Line, Line]
    const period = { start: at, end: after(at, price.months) }
    return [unused, { amount: price.unit * quantity, quantity, description: price.id, period }]
  }

  const routes = routesOf({
    customers,
    sessions,
    subscriptions,
    invoices,
    seconds,
    tell,
    found,
    priceOf,
    after,
    invoiceOf,
    finalize,
    pay,
    changeLines,
    isDeclined: () => declined,
  })

  return {
    events,
    setClock: (clock: () => Date) => {
      now = clock
    },
    setDeclined: (isDeclined: boolean) => {
      declined = isDeclined
    },
    perform(method: string, path: string, params: Params): unknown {
      for (const [own, pattern, run] of routes) {
        const match = own === method ? pattern.exec(path) : null
        if (match) return run(params, match[1] ?? '')
      }
      throw new StripeFault(404, `Unrecognized request URL (${method}: ${path})`)
    },
    /** The customer enters a card on the page of the session. */
    complete(url: string): string {
      const session = found(sessions, url.split('/').at(-1), 'session')
      if (session.status !== 'open') throw new StripeFault(400, `This page is ${session.status}`)
      sessions.set(session.id, { ...session, status: 'complete' })
      const price = priceOf(session['line_items[0][price]'])
      const quantity = Number(session['line_items[0][quantity]'] ?? 1)
      const start = seconds()
      const trialDays = Number(session['subscription_data[trial_period_days]'] ?? 0)
      const end = trialDays > 0 ? start + trialDays * 86_400 : after(start, price.months)
      const item = {
        id: newId('si'),
        quantity,
        price: { id: price.id },
        current_period_start: start,
        current_period_end: end,
      }
      const made: Subscription = {
        id: newId('sub'),
        object: 'subscription',
        customer: session.customer ?? '',
        status: trialDays > 0 ? 'trialing' : 'active',
        cancel_at: null,
        cancel_at_period_end: false,
        trial_end: trialDays > 0 ? end : null,
        created: start,
        metadata: { workspaceId: session['subscription_data[metadata][workspaceId]'] ?? '' },
        items: { data: [item] },
      }
      subscriptions.set(made.id, made)
      tell('customer.subscription.created', made)
      if (trialDays === 0) {
        finalize(made, [{ amount: price.unit * quantity, quantity, description: price.id, period: { start, end } }])
      }
      tell('checkout.session.completed', { id: session.id, object: 'checkout.session', customer: made.customer })
      return made.id
    },
    /** As Stripe has it now. */
    subscription: (id: string): Subscription => found(subscriptions, id, 'subscription'),
    /** The customer cancels on Stripe's own pages, for the end of the period: in flexible billing mode that is a date. */
    cancelInPortal(id: string): void {
      const subscription = found(subscriptions, id, 'subscription')
      subscription.cancel_at = subscription.items.data[0]?.current_period_end ?? null
      tell('customer.subscription.updated', subscription)
    },
    /** Whatever it was that made it so. */
    setStatus(id: string, status: string): void {
      const subscription = found(subscriptions, id, 'subscription')
      subscription.status = status
      tell('customer.subscription.updated', subscription)
    },
    /** A page that was completed in the moment in which it was to expire. */
    reopen(url: string): void {
      const session = found(sessions, url.split('/').at(-1), 'session')
      sessions.set(session.id, { ...session, status: 'open' })
    },
    /** Something beside the plan is invoiced, in so many lines. */
    chargeFor(id: string, count: number): void {
      const period = { start: seconds(), end: seconds() }
      const line = (index: number) => ({ amount: index, quantity: 1, description: `Extra ${index}`, period })
      finalize(
        found(subscriptions, id, 'subscription'),
        Array.from({ length: count }, (_, index) => line(index + 1)),
      )
    },
    /** Its period is over: a new one begins, or it ends. */
    renew(id: string): void {
      const subscription = found(subscriptions, id, 'subscription')
      const [item] = subscription.items.data as [Item]
      const isCanceled = subscription.cancel_at !== null && subscription.cancel_at <= item.current_period_end
      if (subscription.cancel_at_period_end || isCanceled) {
        subscription.status = 'canceled'
        tell('customer.subscription.deleted', subscription)
        return
      }
      const price = priceOf(item.price.id)
      const start = item.current_period_end
      item.current_period_start = start
      item.current_period_end = after(start, price.months)
      subscription.status = 'active'
      tell('customer.subscription.updated', subscription)
      const period = { start, end: item.current_period_end }
      finalize(subscription, [
        { amount: price.unit * item.quantity, quantity: item.quantity, description: price.id, period },
      ])
    },
  }
}
