// The look of the few pages that the server renders itself, which is the console's, and the headers that keep them safe.
import { createHash } from 'node:crypto'
import { escapeHtml } from '../../kit/html.ts'
import { pagePermissions } from '../request/headers.ts'

/** The colours of every such page, in light and dark. */
export const colours = `:root { color-scheme: light dark; --text: #1c2024; --soft: #565e67; --ground: #fbfbfd; --card: #fff; --line: #e4e6ee;
  --strong: #3b4cca; --on-strong: #fff; --warn: #8a5300; --warn-ground: #fff6e5; --warn-line: #f0d49b;
  --bad: #b3261e; --bad-ground: #fdeceb; --bad-line: #f3c2bf }
@media (prefers-color-scheme: dark) { :root { --text: #d5d7de; --soft: #a9aeb8; --ground: #131418; --card: #1a1c22;
  --line: #2e313a; --strong: #b3baf2; --on-strong: #131418; --warn: #ffd48a; --warn-ground: #2c2210; --warn-line: #57431c;
  --bad: #ffb3ad; --bad-ground: #331614; --bad-line: #6b2c28 } }
`

const style = `
${colours}* { box-sizing: border-box }
html { -webkit-text-size-adjust: 100% }
body { margin: 0; min-height: 100vh; background: var(--ground); color: var(--text);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif }
main { width: 100%; max-width: 30rem; margin: 0 auto; padding: 2.5rem 1rem 3rem }
main.wide { max-width: 46rem }
.brand { display: flex; align-items: center; gap: .6rem; margin: 0 0 1.25rem; font-weight: 600; letter-spacing: .01em }
.brand svg { width: 1.75rem; height: 1.75rem }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 1.75rem }
.card + .card { margin-top: 1rem }
h1 { font-size: 1.4rem; line-height: 1.3; margin: 0 0 .5rem; text-wrap: balance }
h2 { font-size: 1.05rem; line-height: 1.4; margin: 0 }
p { margin: 0 0 1rem } p:last-child { margin-bottom: 0 }
.soft { color: var(--soft); font-size: .925rem } .after { margin-top: 1.25rem } .scopes + .soft { margin-top: .5rem }
p, h1, h2, strong, code { overflow-wrap: anywhere }
code, .code { font-family: ui-monospace, "SFMono-Regular", Menlo, monospace }
.code { font-size: 1.9rem; font-weight: 600; letter-spacing: .12em; text-align: center; margin: 1rem 0 }
a { color: var(--strong) }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; font: inherit }
label.field { display: block; font-weight: 500; margin: 0 0 1rem }
label.field > span { display: block; margin-bottom: .3rem }
input[type=text], input[type=password], select { width: 100%; min-height: 2.75rem; padding: .5rem .75rem; font: inherit;
  color: inherit; background: var(--card); border: 1px solid #8b8d98; border-radius: 8px }
input.code { text-transform: uppercase; margin: 0; font-size: 1.5rem }
:focus-visible { outline: 3px solid var(--strong); outline-offset: 2px }
.buttons { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.5rem }
button { flex: 1 1 8rem; min-height: 2.75rem; padding: .5rem 1.25rem; border-radius: 8px; font: inherit; font-weight: 600;
  cursor: pointer; color: var(--text); background: transparent; border: 1px solid #8b8d98 }
button.strong { color: var(--on-strong); background: var(--strong); border-color: var(--strong) }
button:hover { filter: brightness(.93) } @media (prefers-color-scheme: dark) { button:hover { filter: brightness(1.12) } }
.notice { border: 1px solid var(--warn-line); background: var(--warn-ground); color: var(--warn); border-radius: 8px;
  padding: .75rem 1rem; margin: 0 0 1rem }
.notice.bad { border-color: var(--bad-line); background: var(--bad-ground); color: var(--bad) }
h1 + dl { margin-top: 1rem } dl { display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1rem; margin: 0 0 1.25rem; font-size: .95rem }
dt { color: var(--soft) } dd { margin: 0; overflow-wrap: anywhere }
fieldset { border: 0; padding: 0; margin: 0 0 1.25rem; min-width: 0 }
legend { padding: 0; font-weight: 600; margin-bottom: .35rem }
.scopes { border: 1px solid var(--line); border-radius: 8px }
.scopes > div { padding: .55rem .85rem; display: grid; grid-template-columns: 10rem 1fr; gap: .15rem 1rem }
.scopes > div + div { border-top: 1px solid var(--line) }
.scopes .area { font-weight: 500; padding: .2rem 0 }
.scopes .verbs { display: flex; flex-wrap: wrap; gap: .15rem 1.1rem }
label.tick { display: inline-flex; align-items: center; gap: .45rem; padding: .2rem 0 }
label.tick input { width: 1.1rem; height: 1.1rem; margin: 0; accent-color: var(--strong) }
label.tick.off { color: var(--soft) }
@media (max-width: 34rem) { .card { padding: 1.25rem } dl { grid-template-columns: 1fr; gap: 0 } dd + dt { margin-top: .4rem } .scopes > div { grid-template-columns: 1fr } }
`

const styleHash = createHash('sha256').update(style).digest('base64')

export const mark = `<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="7" fill="#3b4cca"/><path d="M7 25V14.5L16 7l9 7.5V25h-5.2v-7.2a3.8 3.8 0 0 0-7.6 0V25z" fill="#fff"/></svg>`

export type Page = {
  title: string
  /** HTML; whatever came from outside is escaped where it is put in. */
  body: string
  wide?: true
  /** Where a form of the page may lead, also by redirects that follow it: browsers check those too. */
  formsTo?: readonly string[]
}

export function pageHtml({ title, body, wide }: Page): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Atrium</title><style>${style}</style></head>
<body><main${wide ? ' class="wide"' : ''}><p class="brand">${mark} Atrium</p>
${body}
</main></body></html>
`
}

/** No script, no framing, nothing from elsewhere. `same-origin`, since without a referrer forms say `Origin: null`. */
export function pageHeaders({ formsTo = [] }: Pick<Page, 'formsTo'>): Record<string, string> {
  const forms = formsTo.length > 0 ? formsTo.join(' ') : "'none'"
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; form-action ${forms}; frame-ancestors 'none'; base-uri 'none'`,
    ...pagePermissions,
    'referrer-policy': 'same-origin',
    'cache-control': 'no-store',
  }
}
