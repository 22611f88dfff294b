// The calls that the stand-in for Stripe answers: what each takes, and what it does to the books.
import {
  type Invoice,
  type Item,
  type Line,
  needs,
  newId,
  type Params,
  type Price,
  StripeFault,
  type Subscription,
  takes,
} from './stripe_objects.ts'

/** An invoice comes with the first of its lines; the rest is asked for. */
const firstLines = 10

function cut<T extends { lines: { data: readonly Line[] } }>(invoice: T, from: number, to: number) {
  const { data } = invoice.lines
  return { ...invoice, lines: { ...invoice.lines, data: data.slice(from, to), has_more: data.length > to } }
}

function refuseBothEnds(at: string | undefined, withPeriod: string | undefined): void {
  if (at === undefined || withPeriod === undefined) return
  throw new StripeFault(400, 'Received both cancel_at_period_end and cancel_at parameters. Please pass in only one.')
}

/** What the books let calls do. */
export type Kept = {
  customers: Map<string, { id: string; object: 'customer'; metadata: Record<string, string> }>
  sessions: Map<string, Params & { id: string }>
  subscriptions: Map<string, Subscription>
  invoices: Map<string, Invoice>
  seconds(): number
  tell(type: string, object: unknown): void
  found<T>(map: Map<string, T>, id: string | undefined, what: string): T
  priceOf(id: string | undefined): Price
  after(start: number, months: number): number
  invoiceOf(subscription: Subscription, lines: Line[]): Invoice
  finalize(subscription: Subscription, lines: Line[]): Invoice
  pay(invoice: Invoice): void
  changeLines(item: Item, price: Price, quantity: number, at: number): Line[]
  isDeclined(): boolean
}

type Route = readonly [method: string, path: RegExp, run: (params: Params, id: string) => unknown]

export function routesOf(kept: Kept): readonly Route[] {
  const { customers, sessions, subscriptions, invoices, seconds, tell, found, priceOf, after } = kept
  const { invoiceOf, finalize, pay, changeLines, isDeclined } = kept
  return [
    [
      'POST',
      /^\/v1\/customers$/,
      params => {
        takes(params, [/^email$/, /^name$/, /^metadata\[\w+\]$/])
        const made = {
          id: newId('cus'),
          object: 'customer' as const,
          metadata: { workspaceId: params['metadata[workspaceId]'] ?? '' },
        }
        customers.set(made.id, made)
        return made
      },
    ],
    [
      'POST',
      /^\/v1\/customers\/(\w+)$/,
      (params, id) => {
        takes(params, [/^(email|name)$/])
        return Object.assign(found(customers, id, 'customer'), params)
      },
    ],
    [
      'POST',
      /^\/v1\/checkout\/sessions$/,
      params => {
        takes(params, [
          /^(mode|customer|client_reference_id|success_url|cancel_url)$/,
          /^line_items\[0\]\[(price|quantity)\]$/,
          /^subscription_data\[(metadata\]\[\w+|trial_period_days)\]$/,
        ])
        needs(params, ['mode', 'success_url', 'line_items[0][price]'])
        found(customers, params.customer, 'customer')
        priceOf(params['line_items[0][price]'])
        const id = newId('cs_test')
        sessions.set(id, { ...params, id, status: 'open' })
        return { id, object: 'checkout.session', url: `https://checkout.stripe.test/${id}` }
      },
    ],
    [
      'GET',
      /^\/v1\/checkout\/sessions$/,
      params => {
        takes(params, [/^(customer|status|limit)$/])
        const own = [...sessions.values()].filter(({ customer }) => customer === params.customer)
        return { object: 'list', data: own.filter(({ status }) => status === params.status), has_more: false }
      },
    ],
    [
      'POST',
      /^\/v1\/checkout\/sessions\/(\w+)\/expire$/,
      (params, id) => {
        takes(params, [])
        const session = found(sessions, id, 'session')
        if (session.status !== 'open') throw new StripeFault(400, `This Session is not open: ${session.status}`)
        const expired = { ...session, status: 'expired' }
        sessions.set(id, expired)
        return { ...expired, object: 'checkout.session' }
      },
    ],
    [
      'DELETE',
      /^\/v1\/subscriptions\/(\w+)$/,
      (params, id) => {
        takes(params, [/^(prorate|invoice_now)$/])
        const subscription = found(subscriptions, id, 'subscription')
        if (subscription.status === 'canceled') throw new StripeFault(404, `No such subscription: '${id}'`)
        subscription.status = 'canceled'
        tell('customer.subscription.deleted', subscription)
        return subscription
      },
    ],
    [
      'POST',
      /^\/v1\/billing_portal\/sessions$/,
      params => {
        takes(params, [/^(customer|return_url)$/])
        needs(params, ['customer'])
        found(customers, params.customer, 'customer')
        const id = newId('bps')
        return { id, object: 'billing_portal.session', url: `https://billing.stripe.test/${id}` }
      },
    ],
    [
      'GET',
      /^\/v1\/subscriptions$/,
      params => {
        takes(params, [/^(customer|status|limit)$/])
        const own = [...subscriptions.values()].filter(({ customer }) => customer === params.customer)
        return { object: 'list', data: own.filter(({ status }) => params.status === 'all' || status !== 'canceled') }
      },
    ],
    ['GET', /^\/v1\/subscriptions\/(\w+)$/, (_, id) => found(subscriptions, id, 'subscription')],
    [
      'POST',
      /^\/v1\/subscriptions\/(\w+)$/,
      (params, id) => {
        takes(params, [
          /^items\[0\]\[(id|price|quantity)\]$/,
          /^(cancel_at|cancel_at_period_end|proration_behavior|proration_date)$/,
        ])
        const subscription = found(subscriptions, id, 'subscription')
        if (subscription.status === 'canceled')
          throw new StripeFault(400, 'A canceled subscription can only update its metadata.')
        const [item] = subscription.items.data as [Item]
        refuseBothEnds(params.cancel_at, params.cancel_at_period_end)
        if (params.cancel_at_period_end) subscription.cancel_at_period_end = params.cancel_at_period_end === 'true'
        if (params.cancel_at !== undefined) subscription.cancel_at = Number(params.cancel_at) || null
        if (params['items[0][id]'] !== undefined) {
          if (params['items[0][id]'] !== item.id) throw new StripeFault(400, 'No such subscription item')
          const price = priceOf(params['items[0][price]'])
          const quantity = Number(params['items[0][quantity]'] ?? 1)
          const at = Number(params.proration_date ?? seconds())
          const isOther = price.months !== priceOf(item.price.id).months
          const lines = changeLines(item, price, quantity, at)
          item.price = { id: price.id }
          item.quantity = quantity
          if (isOther) {
            item.current_period_start = at
            item.current_period_end = after(at, price.months)
          }
          const isInvoiced = params.proration_behavior === 'always_invoice' && subscription.status === 'active'
          if (isInvoiced && lines.length > 0) finalize(subscription, lines)
        }
        tell('customer.subscription.updated', subscription)
        return subscription
      },
    ],
    [
      'POST',
      /^\/v1\/invoices\/create_preview$/,
      params => {
        takes(params, [
          /^subscription$/,
          /^subscription_details\[items\]\[0\]\[(id|price|quantity)\]$/,
          /^subscription_details\[(cancel_at|cancel_at_period_end|proration_behavior|proration_date)\]$/,
        ])
        const subscription = found(subscriptions, params.subscription, 'subscription')
        const ends = ['cancel_at', 'cancel_at_period_end'].map(name => params[`subscription_details[${name}]`])
        refuseBothEnds(ends[0], ends[1])
        const [item] = subscription.items.data as [Item]
        const price = priceOf(params['subscription_details[items][0][price]'])
        const quantity = Number(params['subscription_details[items][0][quantity]'] ?? 1)
        const at = Number(params['subscription_details[proration_date]'] ?? seconds())
        return {
          ...invoiceOf(subscription, changeLines(item, price, quantity, at)),
          id: newId('upcoming_in'),
          number: null,
          status: 'draft',
        }
      },
    ],
    ['GET', /^\/v1\/invoices\/(\w+)$/, (_, id) => cut(found(invoices, id, 'invoice'), 0, firstLines)],
    [
      'GET',
      /^\/v1\/invoices\/(\w+)\/lines$/,
      (params, id) => {
        takes(params, [/^(limit|starting_after)$/])
        const invoice = found(invoices, id, 'invoice')
        const from = invoice.lines.data.findIndex(line => line.id === params.starting_after) + 1
        return cut(invoice, from, from + Number(params.limit ?? 10)).lines
      },
    ],
    [
      'POST',
      /^\/v1\/invoices\/(\w+)\/pay$/,
      (params, id) => {
        takes(params, [])
        const invoice = found(invoices, id, 'invoice')
        if (invoice.status === 'paid') throw new StripeFault(400, 'Invoice is already paid')
        if (isDeclined()) throw new StripeFault(402, 'Your card was declined.', 'card_declined', 'card_error')
        pay(invoice)
        for (const one of subscriptions.values()) {
          if (one.customer !== invoice.customer || one.status !== 'past_due') continue
          one.status = 'active'
          tell('customer.subscription.updated', one)
        }
        return invoice
      },
    ],
  ]
}
