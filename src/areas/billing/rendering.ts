// An invoice as a file: a page to print, a table, or JSON.
import { csvLine } from '../../kit/csv.ts'
import { escapeHtml } from '../../kit/html.ts'
import type { InvoiceRow } from './store.ts'

/** Currencies have none, two or three digits behind the point. */
function digitsOf(currency: string): number {
  try {
    return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2
  } catch {
    return 2
  }
}

/** 1234 EUR → "12.34 EUR". By digits, never by a division. */
export function amountText(minor: number, currency: string): string {
  const digits = digitsOf(currency)
  const sign = minor < 0 ? '-' : ''
  const text = String(Math.abs(minor)).padStart(digits + 1, '0')
  const [whole, part] = digits === 0 ? [text, ''] : [text.slice(0, -digits), `.${text.slice(-digits)}`]
  return `${sign}${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${part} ${currency}`
}

/** 13000001 → "13,000,001". */
const countText = (count: number) => count.toLocaleString('en')

const dayText = (at: string) => at.slice(0, 10)

const style = `
  body { font: 14px/1.5 system-ui, sans-serif; color: #111; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
  h1 { font-size: 1.5rem; margin-bottom: 0; } h2 { font-size: .8rem; font-weight: 400; color: #555; margin: 1.5rem 0 .25rem; }
  small { color: #555; } table { border-collapse: collapse; width: 100%; margin: 1.5rem 0; }
  th, td { text-align: left; padding: .35rem .5rem; border-bottom: 1px solid #ccc; vertical-align: top; }
  .n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
  address { font-style: normal; white-space: pre-line; } .both { display: flex; gap: 3rem; } .both > * { flex: 1; }
  tfoot td { border: 0; } tfoot tr:last-child td { font-weight: 600; border-top: 2px solid #111; }
  @media print { body { margin: 0; max-width: none; } @page { margin: 18mm; } }`

export function invoiceHtml(invoice: InvoiceRow): string {
  const { number, currency, issuer, buyer, lines, status, dueAt, paidAt, created, reference } = invoice
  const money = (minor: number) => escapeHtml(amountText(minor, currency))
  const party = (title: string, name: string, address: string | null, taxId: string | null) =>
    `<section><h2>${title}</h2><address>${escapeHtml([name, address, taxId].filter(Boolean).join('\n'))}</address></section>`
  const rows = lines.map(
    ({ description, quantity, unitMinor, amountMinor, from, to }) =>
      `<tr><td>${escapeHtml(description)}<br><small>${dayText(from)} – ${dayText(to)}</small></td>` +
      `<td class="n">${countText(quantity)}</td><td class="n">${money(unitMinor)}</td><td class="n">${money(amountMinor)}</td></tr>`,
  )
  const total = (label: string, minor: number) =>
    `<tr><td colspan="3" class="n">${label}</td><td class="n">${money(minor)}</td></tr>`
  const state = [
    `Issued ${dayText(created)}`,
    status === 'open' && dueAt ? `due ${dayText(dueAt)}` : status,
    paidAt && `paid ${dayText(paidAt)}`,
    reference && escapeHtml(reference),
  ]
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Invoice ${escapeHtml(number)}</title>
<meta name="viewport" content="width=device-width"><style>${style}</style></head><body>
<h1>Invoice ${escapeHtml(number)}</h1><p>${state.filter(Boolean).join(' · ')}</p>
<div class="both">${party('From', issuer.name, issuer.address, issuer.taxId)}${party('To', buyer.legalName ?? '', buyer.address, buyer.taxId)}</div>
<table><thead><tr><th>What</th><th class="n">Quantity</th><th class="n">Each</th><th class="n">Amount</th></tr></thead>
<tbody>${rows.join('\n')}</tbody><tfoot>
${total('Subtotal', invoice.subtotalMinor)}
${total(`Tax (${invoice.taxBasisPoints / 100} %)`, invoice.taxMinor)}
${invoice.balanceMinor === 0 ? '' : total('Balance', 0 - invoice.balanceMinor)}
${total('Total', invoice.totalMinor)}
</tfoot></table></body></html>
`
}

export function invoiceCsv(invoice: InvoiceRow): string {
  const { number, currency, lines } = invoice
  const titles = ['invoice', 'kind', 'dimension', 'description', 'from', 'to', 'quantity', 'unit', 'amount', 'currency']
  const rest: [string, number][] = [
    ['subtotal', invoice.subtotalMinor],
    ['tax', invoice.taxMinor],
    ['balance', 0 - invoice.balanceMinor],
    ['total', invoice.totalMinor],
  ]
  return [
    csvLine(titles),
    ...lines.map(line =>
      csvLine([
        number,
        line.kind,
        line.dimension,
        line.description,
        line.from,
        line.to,
        line.quantity,
        line.unitMinor,
        line.amountMinor,
        currency,
      ]),
    ),
    ...rest.map(([kind, minor]) => csvLine([number, kind, '', '', '', '', '', '', minor, currency])),
  ].join('')
}
