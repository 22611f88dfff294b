// The pages of the authorization server: log in, consent, device code, errors. No script, no mouse needed.
import type { Client } from 'oidc-provider'
import type { Scope } from '../../../contract/scopes.ts'
import { escapeHtml as safe } from '../../../kit/html.ts'
import { isLoopbackUri } from '../../../kit/redirect_uris.ts'
import type { Page } from '../pages.ts'
import type { Place } from './store.ts'
import { inWords } from './words.ts'

/** `redirectUri` is null in the device flow. */
export type Asking = { client: Client; redirectUri: string | null; action: string; token: string }

export function nameOf(client: Client): string {
  return client.clientName ?? client.clientId
}

/** Browsers hold the redirects that follow a form against `form-action` too. */
function formsTo(redirectUri: string | null): string[] {
  if (redirectUri === null || !URL.canParse(redirectUri)) return ["'self'"]
  const { protocol, origin } = new URL(redirectUri)
  return ["'self'", origin === 'null' ? protocol : origin]
}

function notice(text: string | undefined): string {
  return text ? `<p class="notice bad" role="alert">${safe(text)}</p>` : ''
}

export function loginPage({ client, redirectUri, action, token }: Asking, name = '', problem?: string): Page {
  const focus = (isHere: boolean) => (isHere ? ' autofocus' : '')
  return {
    title: 'Log in',
    formsTo: formsTo(redirectUri),
    body: `<div class="card"><h1>Log in</h1>
<p class="soft">to go on to <strong>${safe(nameOf(client))}</strong></p>
${notice(problem)}
<form method="post" action="${safe(action)}">
<input type="hidden" name="token" value="${safe(token)}">
<label class="field"><span>E-mail address or username</span>
<input type="text" name="name" value="${safe(name)}" required maxlength="254" autocomplete="username" autocapitalize="none" spellcheck="false"${focus(name === '')}></label>
<label class="field"><span>Password</span>
<input type="password" name="password" required maxlength="256" autocomplete="current-password"${focus(name !== '')}></label>
<div class="buttons"><button class="strong" name="intent" value="login">Log in</button>
<button name="intent" value="deny" formnovalidate>Cancel</button></div>
</form>
<p class="soft after">New here? <a href="/signup?next=${safe(encodeURIComponent(action))}">Sign up</a> ·
<a href="/forgot?next=${safe(encodeURIComponent(action))}">Forgot your password?</a></p></div>`,
  }
}

export type Consent = Asking & {
  person: string
  wanted: ReadonlySet<string>
  places: readonly Place[]
  /** What the user's roles allow somewhere. */
  available: ReadonlySet<Scope>
  ticked: ReadonlySet<string>
  chosen: string | undefined
  problem?: string | undefined
  /** It registered itself: nobody has checked its name. */
  isUnverified: boolean
}

export function consentPage(consent: Consent): Page {
  const { client, redirectUri, action, token, person, wanted, problem } = consent
  const name = safe(nameOf(client))
  return {
    title: `Let ${nameOf(client)} in?`,
    wide: true,
    formsTo: formsTo(redirectUri),
    body: `<div class="card"><h1>Let ${name} act for you?</h1>
${notice(problem)}
<dl>${facts(consent)}</dl>
${warning(client, redirectUri)}
<form method="post" action="${safe(action)}">
<input type="hidden" name="token" value="${safe(token)}">
${wanted.has('openid') ? `<p>It will learn who you are${wanted.has('email') ? ', and your e-mail address' : ''}: <strong>${safe(person)}</strong>.</p>` : ''}
${workspaceField(consent)}
${scopeField(consent)}
<div class="buttons"><button class="strong" name="intent" value="allow">Allow</button>
<button name="intent" value="deny">Refuse</button></div>
</form>
<p class="soft after">${links(client)}You can end this at any time: your account keeps a list of the applications you let in.</p></div>`,
  }
}

function facts({ client, redirectUri, person, isUnverified }: Consent): string {
  const { clientId } = client
  const isDocument = clientId.startsWith('https://')
  return [
    ['You are', safe(person)],
    ...(isDocument ? [['It comes from', `<strong>${safe(new URL(clientId).host)}</strong>`]] : []),
    ...(isUnverified
      ? [['Made by', '<strong>Not verified</strong>: it registered itself and chose its own name']]
      : []),
    ['It returns you to', `<strong>${safe(placeOf(redirectUri))}</strong>`],
  ]
    .map(([term, fact]) => `<dt>${term}</dt><dd>${fact}</dd>`)
    .join('')
}

/** Where the answer goes, as much of it as tells who gets it. */
function placeOf(redirectUri: string | null): string {
  if (redirectUri === null) return 'the device that showed you the code'
  if (isLoopbackUri(redirectUri)) return `${new URL(redirectUri).host} – a program on this computer`
  const { protocol, host, origin } = new URL(redirectUri)
  return origin === 'null' ? `an app that answers to ${protocol}` : host
}

function warning(client: Client, redirectUri: string | null): string {
  const text =
    redirectUri === null
      ? 'Go on only if the device is yours and you typed the code yourself. Nobody should ever send you a code to enter.'
      : (client.redirectUris ?? []).every(isLoopbackUri)
        ? 'Any program on this computer can call itself by this name. Go on only if you have just started it yourself.'
        : null
  return text ? `<p class="notice">${text}</p>` : ''
}

function workspaceField({ places, chosen, wanted }: Consent): string {
  if (inWords(wanted).length === 0) return ''
  const [only] = places
  if (!only) return ''
  const shown = (place: Place) => `${safe(place.name)} (you are ${place.role})`
  if (places.length === 1) {
    return `<p>In the workspace <strong>${shown(only)}</strong><input type="hidden" name="workspace" value="${only.id}"></p>`
  }
  const options = places.map(
    place => `<option value="${place.id}"${place.id === chosen ? ' selected' : ''}>${shown(place)}</option>`,
  )
  return `<label class="field"><span>In which workspace?</span><select name="workspace">${options.join('')}</select></label>`
}

function scopeField({ wanted, available, ticked }: Consent): string {
  const groups = inWords(wanted)
  if (groups.length === 0) return ''
  const tick = (scope: Scope, verb: string) => {
    const has = available.has(scope)
    const state = has ? (ticked.has(scope) ? ' checked' : '') : ' disabled'
    return `<label class="tick${has ? '' : ' off'}"><input type="checkbox" name="scope" value="${scope}"${state}> ${verb}${has ? '' : ' (not in your role)'}</label>`
  }
  const rows = groups.map(
    ({ noun, scopes }) =>
      `<div role="group" aria-label="${safe(noun)}"><span class="area">${safe(noun)}</span><span class="verbs">${scopes
        .map(({ scope, verb }) => tick(scope, verb))
        .join('')}</span></div>`,
  )
  return `<fieldset><legend>It may</legend><div class="scopes">${rows.join('\n')}</div>
<p class="soft">Untick what it should not do. It can never do more than you can yourself.</p></fieldset>`
}

function links({ policyUri, tosUri }: Client): string {
  const link = (url: string | undefined, text: string) =>
    url?.startsWith('https://') ? `<a href="${safe(url)}" rel="noopener noreferrer">${text}</a> · ` : ''
  return link(policyUri, 'Its privacy policy') + link(tosUri, 'Its terms')
}

export function deviceCodePage(action: string, token: string, code: string, problem?: string): Page {
  return {
    title: 'Connect a device',
    formsTo: ["'self'"],
    body: `<div class="card"><h1>Connect a device</h1>
<p>Enter the code that the device shows.</p>
${notice(problem)}
<form method="post" action="${safe(action)}">
<input type="hidden" name="xsrf" value="${safe(token)}">
<label class="field"><span>Code</span>
<input class="code" type="text" name="user_code" value="${safe(code)}" required maxlength="32" autocomplete="off" autocapitalize="characters" spellcheck="false" placeholder="XXXX-XXXX" autofocus></label>
<div class="buttons"><button class="strong">Go on</button></div>
</form></div>`,
  }
}

export function deviceConfirmPage(client: Client, action: string, token: string, code: string): Page {
  return {
    title: 'Is this the code?',
    formsTo: ["'self'"],
    body: `<div class="card"><h1>Is this the code on your device?</h1>
<p class="code">${safe(code)}</p>
<p><strong>${safe(nameOf(client))}</strong> asks to be let in.</p>
<p class="notice">Go on only if you started this yourself and the device in front of you shows the same code.</p>
<form method="post" action="${safe(action)}">
<input type="hidden" name="xsrf" value="${safe(token)}"><input type="hidden" name="user_code" value="${safe(code)}">
<div class="buttons"><button class="strong" name="confirm" value="yes" autofocus>It is the same</button>
<button name="abort" value="yes">Refuse</button></div>
</form></div>`,
  }
}

export function deviceDonePage(client: Client): Page {
  return {
    title: 'Device connected',
    body: `<div class="card"><h1>Done</h1>
<p><strong>${safe(nameOf(client))}</strong> is connected. You can close this page and go back to your device.</p></div>`,
  }
}

export function messagePage(title: string, text: string, code?: string): Page {
  return {
    title,
    body: `<div class="card"><h1>${safe(title)}</h1>
<p>${safe(text)}</p>${code ? `<p class="soft"><code>${safe(code)}</code></p>` : ''}</div>`,
  }
}
