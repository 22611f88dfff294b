// What the stand-in for Stripe keeps and refuses, in Stripe's words.
import { randomBytes } from 'node:crypto'
import type { PlanFile } from '../../src/contract/plans.ts'

export type Params = Readonly<Record<string, string>>

export class StripeFault extends Error {
  readonly status: number
  readonly type: string
  readonly code: string | undefined

  constructor(status: number, message: string, code?: string, type = 'invalid_request_error') {
    super(message)
    this.status = status
    this.type = type
    this.code = code
  }
}

export type Price = { id: string; unit: number; months: number; currency: string }
export type Subscription = {
  id: string
  object: 'subscription'
  customer: string
  status: string
  /** What Stripe's own pages set, and they alone. */
  cancel_at: number | null
  cancel_at_period_end: boolean
  trial_end: number | null
  created: number
  metadata: Record<string, string>
  items: { data: Item[] }
}
export type Item = {
  id: string
  quantity: number
  price: { id: string }
  current_period_start: number
  current_period_end: number
}
export type Line = {
  id?: string
  amount: number
  description: string
  quantity: number
  period: { start: number; end: number }
}
export type Invoice = {
  id: string
  object: 'invoice'
  number: string
  customer: string
  status: string
  currency: string
  total: number
  total_excluding_tax: number
  amount_due: number
  due_date: null
  created: number
  period_start: number
  period_end: number
  hosted_invoice_url: string
  status_transitions: { paid_at: number | null }
  lines: { object: 'list'; data: (Line & { id: string })[]; has_more: boolean }
}
export type Event = { id: string; object: 'event'; type: string; created: number; data: { object: unknown } }

export const newId = (prefix: string) => `${prefix}_${randomBytes(12).toString('hex')}`

/** Base and seats are one price there: so much for each seat. */
export function pricesOf(file: PlanFile): Map<string, Price> {
  const all = file.plans.flatMap(({ prices }) => prices).filter(price => price.stripePrice !== undefined)
  return new Map(
    all.map(({ stripePrice = '', seatMinor, currency, cycle }) => {
      const months = cycle === 'annual' ? 12 : 1
      return [stripePrice, { id: stripePrice, unit: seatMinor, months, currency: currency.toLowerCase() }]
    }),
  )
}

/** 400 where there is one that Stripe does not know. */
export function takes(params: Params, names: readonly RegExp[]) {
  const unknown = Object.keys(params).find(name => !names.some(known => known.test(name)))
  if (unknown) throw new StripeFault(400, `Received unknown parameter: ${unknown}`, 'parameter_unknown')
}

/** 400 where one is missing. */
export function needs(params: Params, names: readonly string[]) {
  const missing = names.find(name => !params[name])
  if (missing) throw new StripeFault(400, `Missing required param: ${missing}.`, 'parameter_missing')
}
