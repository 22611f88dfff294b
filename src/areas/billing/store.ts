// SQL of billing accounts and invoices.
import type { Static } from 'typebox'
import type { QueryOf } from '../../contract/list.ts'
import { type Db, first } from '../../kit/db.ts'
import { listSql } from '../../kit/list_sql.ts'
import type { Billing } from '../../kit/plans.ts'
import { randomText } from '../../kit/random.ts'
import { assignments, sql } from '../../kit/sql.ts'
import type { ownBilling } from './contract.ts'
import type { Invoice } from './fields/contract.ts'
import type { Line, Totals } from './lines.ts'
import type { UsagePrice } from './usage/charging.ts'

export type InvoiceRow = Static<typeof Invoice>

export type AccountRow = {
  workspaceId: string
  email: string | null
  legalName: string | null
  address: string | null
  taxId: string | null
  currency: string
  balanceMinor: number
  spendCapMinor: number | null
  numberPrefix: string
  lastNumber: number
  stripeCustomer: string | null
  /** What was used until then is charged already. */
  usageUntil: string | null
  /** Of the period; null where none was kept, and the file says it. */
  usagePrices: readonly UsagePrice[] | null
  created: string
  updated: string
}

const accountColumns = sql`
  workspace_id, email, legal_name, address, tax_id, currency, balance_minor::float8 as balance_minor,
  spend_cap_minor::float8 as spend_cap_minor, number_prefix, last_number, stripe_customer,
  usage_until, usage_prices, created, updated`

export function findAccount(db: Db, workspaceId: string): Promise<AccountRow | undefined> {
  return first(db, sql`select ${accountColumns} from billing_accounts where workspace_id = ${workspaceId}`)
}

/** Letters and digits that nobody takes for one another. */
const clear = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'

/**
 * The account, made where there is none, and held: whatever is about the money of a workspace waits for it first. The
 * workspace is held before.
 */
export async function lockAccount(db: Db, { file }: Billing, workspaceId: string, now: Date): Promise<AccountRow> {
  await db.query(sql`
    insert into billing_accounts (workspace_id, currency, number_prefix, created, updated)
    values (${workspaceId}, ${file.currency}, ${randomText(clear, 8)}, ${now}, ${now})
    on conflict (workspace_id) do nothing`)
  const row = await first<AccountRow>(
    db,
    sql`select ${accountColumns} from billing_accounts where workspace_id = ${workspaceId} for update`,
  )
  if (!row) throw new Error('an account that was made is not there')
  return row
}

const patchable = [
  'email',
  'legalName',
  'address',
  'taxId',
  'currency',
  'spendCapMinor',
  'balanceMinor',
  'stripeCustomer',
  'usageUntil',
  'usagePrices',
  'updated',
] as const

export async function updateAccount(
  db: Db,
  workspaceId: string,
  fields: { readonly [K in (typeof patchable)[number]]?: unknown },
): Promise<void> {
  await db.query(sql`update billing_accounts set ${assignments(patchable, fields)} where workspace_id = ${workspaceId}`)
}

export function accountOfCustomer(db: Db, customer: string): Promise<{ workspaceId: string } | undefined> {
  return first(db, sql`select workspace_id from billing_accounts where stripe_customer = ${customer}`)
}

const columns = sql`
  i.id, i.workspace_id, i.number, i.provider, i.status, i.currency, i.period_from as "from", i.period_to as "to",
  i.lines, i.subtotal_minor::float8 as subtotal_minor, i.tax_basis_points, i.tax_minor::float8 as tax_minor,
  i.balance_minor::float8 as balance_minor, i.total_minor::float8 as total_minor, i.buyer, i.issuer, i.due_at, i.paid_at,
  i.reference, i.url, i.created, i.updated, 'invoice' as _object`

type Query = QueryOf<typeof ownBilling, 'billing.invoices.list'>

export function pageOfInvoices(db: Db, query: Query, workspaceId: string) {
  return listSql<InvoiceRow, Query>(db, query, {
    from: sql`invoices i`,
    where: sql`i.workspace_id = ${workspaceId}`,
    select: columns,
    sort: { created: 'i.created', number: 'i.number', totalMinor: 'i.total_minor', dueAt: 'i.due_at', id: 'i.id' },
    filter: { id: 'i.id', number: 'i.number', status: 'i.status', provider: 'i.provider', currency: 'i.currency' },
    time: { column: 'i.created', type: 'timestamptz' },
    id: 'i.id',
    neverNull: ['created', 'number', 'totalMinor', 'id'],
  })
}

export function findInvoice(db: Db, workspaceId: string, id: string): Promise<InvoiceRow | undefined> {
  return first(db, sql`select ${columns} from invoices i where i.workspace_id = ${workspaceId} and i.id = ${id}`)
}

export async function externalIdOf(db: Db, id: string): Promise<string | null> {
  const row = await first<{ externalId: string | null }>(db, sql`select external_id from invoices where id = ${id}`)
  return row?.externalId ?? null
}

export async function hasInvoices(db: Db, workspaceId: string): Promise<boolean> {
  const rows = await db.query(sql`select 1 as one from invoices where workspace_id = ${workspaceId} limit 1`)
  return rows.length > 0
}

/** The oldest that should be paid by now. */
export function oldestDebt(db: Db, workspaceId: string, now: Date): Promise<{ dueAt: string } | undefined> {
  return first(
    db,
    sql`
    select due_at from invoices
    where workspace_id = ${workspaceId} and status = 'open' and due_at <= ${now} order by due_at limit 1`,
  )
}

type Unpaid = { id: string; number: string; status: InvoiceRow['status'] }

/** Of our own invoices the oldest that was due and is not paid, given up or not. */
export function oldestLeft(db: Db, workspaceId: string, now: Date): Promise<Unpaid | undefined> {
  return first(
    db,
    sql`
    select id, number, status from invoices
    where workspace_id = ${workspaceId} and provider <> 'stripe'
      and (status = 'uncollectible' or status = 'open' and due_at <= ${now}) order by created, id limit 1`,
  )
}

/** Of our own invoices the oldest that is open and for a time that is not over. */
export function openAfter(db: Db, workspaceId: string, at: Date): Promise<Unpaid | undefined> {
  return first(
    db,
    sql`
    select id, number, status from invoices
    where workspace_id = ${workspaceId} and provider <> 'stripe' and status = 'open' and period_to > ${at}
    order by created, id limit 1`,
  )
}

/** What our own invoices say of usage since a period began, less what a cap took off. */
export async function chargedForUsage(db: Db, workspaceId: string, since: Date): Promise<number> {
  const row = await first<{ minor: number }>(
    db,
    sql`
    select coalesce(sum((l ->> 'amountMinor')::bigint), 0)::float8 as minor
    from invoices i, jsonb_array_elements(i.lines) l
    where i.workspace_id = ${workspaceId} and i.created >= ${since} and i.provider <> 'stripe' and i.status <> 'void'
      and l ->> 'kind' in ('usage', 'cap') and (l ->> 'from')::timestamptz >= ${since}`,
  )
  return row?.minor ?? 0
}

export type NewInvoice = Totals & {
  id: string
  provider: InvoiceRow['provider']
  externalId: string | null
  number: string
  status: InvoiceRow['status']
  currency: string
  from: string
  to: string
  lines: readonly Line[]
  taxBasisPoints: number
  buyer: InvoiceRow['buyer']
  issuer: InvoiceRow['issuer']
  dueAt: Date | null
  paidAt: Date | null
  url: string | null
}

export async function insertInvoice(db: Db, workspaceId: string, made: NewInvoice, now: Date): Promise<void> {
  const { id, provider, externalId, number, status, currency, from, to, lines, taxBasisPoints } = made
  const { subtotalMinor, taxMinor, balanceMinor, totalMinor, buyer, issuer, dueAt, paidAt, url } = made
  await db.query(sql`
    insert into invoices (id, workspace_id, number, provider, external_id, status, currency, period_from, period_to, lines,
      subtotal_minor, tax_basis_points, tax_minor, balance_minor, total_minor, buyer, issuer, due_at, paid_at, url,
      created, updated)
    values (${id}, ${workspaceId}, ${number}, ${provider}, ${externalId}, ${status}, ${currency}, ${from}::timestamptz,
      ${to}::timestamptz, ${JSON.stringify(lines)}::jsonb, ${subtotalMinor}::bigint, ${taxBasisPoints}::int,
      ${taxMinor}::bigint, ${balanceMinor}::bigint, ${totalMinor}::bigint, ${JSON.stringify(buyer)}::jsonb,
      ${JSON.stringify(issuer)}::jsonb, ${dueAt}, ${paidAt}, ${url}, ${now}, ${now})`)
}

/** The next number of the account, which is held. */
export async function takeNumber(db: Db, workspaceId: string): Promise<string> {
  const row = await first<{ prefix: string; no: number }>(
    db,
    sql`
    update billing_accounts set last_number = last_number + 1 where workspace_id = ${workspaceId}
    returning number_prefix as prefix, last_number as no`,
  )
  if (!row) throw new Error('an account that is held is not there')
  return `${row.prefix}-${String(row.no).padStart(4, '0')}`
}

type Settled = { status: InvoiceRow['status']; paidAt: Date | null; reference: string | null }

export async function settle(db: Db, id: string, { status, paidAt, reference }: Settled, now: Date): Promise<void> {
  await db.query(sql`
    update invoices set status = ${status}, paid_at = ${paidAt}, reference = ${reference}, updated = ${now}
    where id = ${id}`)
}

/** What nobody will pay any more, once the subscription has ended over it. */
export async function giveUpDebts(db: Db, workspaceId: string, now: Date): Promise<void> {
  await db.query(sql`
    update invoices set status = 'uncollectible', updated = ${now}
    where workspace_id = ${workspaceId} and status = 'open' and due_at <= ${now}`)
}

/** As the provider has it now. Undefined where it is not known yet. */
export function lockExternal(db: Db, externalId: string) {
  return first<{ id: string; status: InvoiceRow['status'] }>(
    db,
    sql`select id, status from invoices where external_id = ${externalId} for update`,
  )
}

/** False where it was taken before. */
export async function takeEvent(
  db: Db,
  event: { id: string; provider: string; workspaceId: string | null; type: string },
  now: Date,
): Promise<boolean> {
  const { id, provider, workspaceId, type } = event
  const rows = await db.query(sql`
    insert into billing_events (id, provider, workspace_id, type, received)
    values (${id}, ${provider}, ${workspaceId}, ${type}, ${now}) on conflict (id) do nothing returning 1 as one`)
  return rows.length > 0
}

/** Workspaces that owe something which should be paid by now, and not for so long that nothing comes of it any more. */
export const inDebt = (now: Date, after: string, most: number) => sql`
    select distinct workspace_id from invoices
    where status = 'open' and provider <> 'stripe' and due_at <= ${now}
      and due_at > ${now}::timestamptz - interval '60 days' and workspace_id > ${after}
    order by workspace_id limit ${most}::int`

/** How many times it was declined, and once more. */
export async function attemptOf(db: Db, id: string): Promise<number> {
  const row = await first<{ attempt: number }>(db, sql`select attempt from invoices where id = ${id}`)
  return row?.attempt ?? 1
}

/** Two who hear of the same refusal begin one attempt. */
export async function nextAttempt(db: Db, id: string, attempt: number): Promise<void> {
  await db.query(sql`update invoices set attempt = attempt + 1 where id = ${id} and attempt = ${attempt}::int`)
}

/** Asked for, and still open. */
export async function touch(db: Db, id: string, now: Date): Promise<void> {
  await db.query(sql`update invoices set updated = ${now} where id = ${id} and status = 'open'`)
}

/** Open ones of the operator's payment service that it was not asked for since then. */
export function unasked(db: Db, before: Date, most: number): Promise<{ workspaceId: string; id: string }[]> {
  return db.query(sql`
    select workspace_id, id from invoices where status = 'open' and provider = 'custom' and updated < ${before}
    order by updated limit ${most}::int`)
}
