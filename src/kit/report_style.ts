// How pages look: on a screen in light and dark, on a phone, and on paper. One text, whose hash the page's policy names.
import { hash } from 'node:crypto'

export const pageStyle = `
:root { color-scheme: light dark; --text: #1c2024; --soft: #565e67; --ground: #fff; --line: #d9dce3; --code: #f2f3f7; --link: #3441b0 }
@media (prefers-color-scheme: dark) { :root { --text: #dfe1e7; --soft: #a9aeb8; --ground: #131418; --line: #353943; --code: #1f2128; --link: #b3baf2 } }
* { box-sizing: border-box }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; overflow-wrap: anywhere }
main { max-width: 46rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem }
h1 { font-size: 1.75rem; line-height: 1.25; margin: 0 0 .5rem; text-wrap: balance } h2 { font-size: 1.25rem; margin: 2.25rem 0 .75rem; border-bottom: 1px solid var(--line); padding-bottom: .3rem }
h3 { font-size: 1.05rem; margin: 1.5rem 0 .4rem } h4, h5 { font-size: 1rem; margin: 1.25rem 0 .4rem }
p { margin: 0 0 1rem } .soft, time { color: var(--soft); font-size: .925rem } time { font-weight: 400; white-space: nowrap; margin-left: .35rem }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); gap: .75rem 1.25rem; margin: 1.5rem 0; padding: 1rem 0; border: solid var(--line); border-width: 1px 0 }
dt { color: var(--soft); font-size: .875rem } dd { margin: 0; font-weight: 500 }
a { color: var(--link); text-decoration: underline } :focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, monospace; font-size: .9em; background: var(--code); border-radius: 4px } code { padding: .1em .3em }
pre { padding: .9rem 1rem; white-space: pre-wrap; margin: 0 0 1rem } pre code { padding: 0; background: none }
blockquote { margin: 0 0 1rem; padding: 0 0 0 1rem; border-left: 3px solid var(--line); color: var(--soft) }
ul, ol { padding-left: 1.5rem } :is(ul, ol, blockquote) :is(ul, ol, blockquote) :is(ul, ol, blockquote) :is(ul, ol, blockquote) { padding-left: 0; border: 0; list-style-position: inside }
.table { overflow-x: auto; margin: 0 0 1rem } table { border-collapse: collapse } th, td { border: 1px solid var(--line); padding: .35rem .6rem; text-align: left; vertical-align: top; min-width: 4rem }
.image { border: 1px dashed var(--line); border-radius: 4px; padding: 0 .4rem; color: var(--soft) }
hr { border: 0; border-top: 1px solid var(--line); margin: 1.5rem 0 } footer { margin-top: 3rem; border-top: 1px solid var(--line); padding-top: 1rem }
@media print { :root { --text: #000; --soft: #333; --ground: #fff; --line: #999; --code: #f4f4f4; --link: #000 } main { max-width: none; padding: 0 } h2, h3 { break-after: avoid } pre, tr, blockquote { break-inside: avoid } .table { overflow: visible } }
`

/** No script, no request to anywhere, no form, no frame. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-security-policy':
    `default-src 'none'; style-src 'sha256-${hash('sha256', pageStyle, 'base64')}'; base-uri 'none'; form-action 'none'; ` +
    "frame-ancestors 'none'",
  'x-robots-tag': 'noindex, nofollow',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'cross-origin-opener-policy': 'same-origin',
}
