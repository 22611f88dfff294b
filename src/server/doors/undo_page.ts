// /undo_email_change: where the link in the mail to an old address leads; nothing changes until its button is pressed.
import { hash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { pathOf } from '../../contract/operation.ts'
import { operations } from '../../operations.ts'
import { ownWindow } from '../request/headers.ts'
import { countSource } from '../request/limits.ts'
import type { Platform } from '../request/platform.ts'

const style = `
  :root { color-scheme: light dark }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 34rem; margin: 4rem auto; padding: 0 1rem; color: #1c2024; background: #fcfcfd }
  main { border: 1px solid #d9d9e0; border-radius: 8px; padding: 1.5rem 1.75rem; background: #fff }
  h1 { font-size: 1.4rem; margin: 0 0 .8rem } p { margin: 0 0 1rem }
  button { font: inherit; font-weight: 600; padding: .6rem 1.1rem; border: 0; border-radius: 6px; color: #fff; background: #3b4cca; cursor: pointer }
  button:focus-visible { outline: 3px solid #8994ea; outline-offset: 2px } button:disabled { opacity: .6; cursor: default }
  #outcome { margin: 1rem 0 0; font-weight: 600 } #outcome:empty { display: none }
  @media (prefers-color-scheme: dark) {
    body { color: #edeef0; background: #111113 } main { background: #18191b; border-color: #363a3f }
  }`

/** The token stands behind the #: no server on the way sees it, and none is told where the reader came from. */
const script = `
  const button = document.querySelector('button')
  const outcome = document.querySelector('#outcome')
  const token = location.hash.slice(1)
  const show = text => { outcome.textContent = text }
  if (!token) {
    button.disabled = true
    show('The link is not complete; open it again from the mail.')
  }
  button.addEventListener('click', async () => {
    button.disabled = true
    show('One moment…')
    try {
      const answer = await fetch('PATH', {
        method: 'POST', credentials: 'omit', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ token }),
      })
      const { success, error } = await answer.json()
      if (success) {
        history.replaceState(null, '', location.pathname)
        return show('Done. Your old address counts again, and everyone was logged out. Reset your password next.')
      }
      show(error.detail)
      if (answer.status !== 400) button.disabled = false
    } catch {
      show('The service could not be reached; try again.')
      button.disabled = false
    }
  })
`.replace('PATH', pathOf(operations['auth.undoEmailChange']))

const page = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>Take back a change of address · Atrium</title><style>${style}</style></head>
<body><main><h1>Take back the change of address?</h1>
<p>The e-mail address of your account was changed. If this was not you, take the change back: your old address
counts again, and everyone is logged out everywhere.</p>
<button type="button" autofocus>Take the change back</button>
<p id="outcome" role="status"></p>
<noscript><p>This page needs JavaScript to send the link’s token.</p></noscript>
</main><script>${script}</script></body></html>`

const policy = [
  "default-src 'none'",
  `script-src 'sha256-${hash('sha256', script, 'base64')}'`,
  `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export function mountUndoPage(app: FastifyInstance, platform: Platform): void {
  app.get('/undo_email_change', { onRequest: countSource(platform) }, (_, reply) =>
    reply
      .headers({ ...ownWindow, 'content-security-policy': policy, 'cache-control': 'no-store' })
      .type('text/html; charset=utf-8')
      .send(page),
  )
}
