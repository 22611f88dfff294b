// Somebody to ask as: an account with a thousand keys, made through the interface that is measured.
import { createHash, randomBytes } from 'node:crypto'

export type Person = {
  workspaceId: string
  keyId: string
  session: Record<string, string>
  key: Record<string, string>
  /** An OAuth access token for the API. */
  application: Record<string, string>
}

type Send = { method?: string; headers?: Record<string, string>; body?: unknown }

async function ask(url: string, { method, headers, body }: Send = {}): Promise<Response> {
  const answer = await fetch(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`)
  return answer
}

// biome-ignore lint/suspicious/noExplicitAny: a bench reads the few fields it needs
async function result(url: string, send?: Send): Promise<any> {
  return ((await (await ask(url, send)).json()) as { result: unknown }).result
}

const password = 'Correct4Horse!'

export async function atriumPerson(base: string, keys: number): Promise<Person> {
  const email = `bench-${randomBytes(4).toString('hex')}@example.com`
  await ask(`${base}/v1/auth/signup`, { body: { email, password } })
  const { token } = await result(`${base}/v1/auth/verify_email`, { body: { email, code: await codeFor(base, email) } })
  const session = { authorization: `Bearer ${token}` }
  const { items } = await result(`${base}/v1/workspaces`, { headers: session })
  const workspaceId = items[0].id as string
  const scopes = ['api_keys:read', 'api_keys:write', 'workspaces:read', 'workspaces:write']
  const body = { workspaceId, name: 'Nightly export', scopes }
  let last = { id: '', token: '' }
  for (let made = 0; made < keys; made += 20) {
    const some = Array.from({ length: 20 }, () => result(`${base}/v1/api_keys`, { headers: session, body }))
    last = (await Promise.all(some))[0]
  }
  const application = { authorization: `Bearer ${await oauthToken(base, token, workspaceId)}` }
  return { workspaceId, keyId: last.id, session, key: { 'x-api-key': last.token }, application }
}

async function codeFor(base: string, email: string): Promise<string> {
  for (let tries = 0; tries < 100; tries++) {
    const page = await (await ask(`${base}/dev/mailbox`)).text()
    const code = page.includes(email) && /[0-9A-Z]{4}-[0-9A-Z]{4}/.exec(page)?.[0]
    if (code) return code
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  throw new Error('no code came')
}

/** Code and token, as the command line gets them, with the consent page sent as it stands. */
async function oauthToken(base: string, session: string, workspace: string): Promise<string> {
  const redirect = 'http://127.0.0.1:49152/callback'
  const verifier = randomBytes(32).toString('base64url')
  const cookies = new Map([['session', session]])
  const visit = async (url: string, form?: URLSearchParams): Promise<{ url: string; text: string }> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(new URL(url, base), {
      method: form ? 'POST' : 'GET',
      redirect: 'manual',
      headers: { accept: 'text/html', cookie, origin: base },
      ...(form && { body: form }),
    })
    for (const line of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=', 2)
      cookies.set(name, value)
    }
    const to = answer.headers.get('location')
    if (to === null) return { url, text: await answer.text() }
    return to.startsWith(redirect) ? { url: to, text: '' } : await visit(to)
  }
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: 'atrium-cli',
    redirect_uri: redirect,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    scope: 'workspaces:read',
    state: 'bench',
  })
  const page = await visit(`/oauth/authorize?${query}`)
  const form = new URLSearchParams({ workspace, intent: 'allow' })
  for (const [input] of page.text.matchAll(/<input[^>]*>/g)) {
    const [name, value] = [/name="([^"]*)"/.exec(input)?.[1], /value="([^"]*)"/.exec(input)?.[1] ?? '']
    if (name && (!input.includes('type="checkbox"') || / checked/.test(input))) form.append(name, value)
  }
  const action = /<form[^>]*action="([^"]*)"/.exec(page.text)?.[1] ?? ''
  const code = new URL((await visit(action, form)).url, base).searchParams.get('code') ?? ''
  const answer = await fetch(`${base}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: 'atrium-cli',
      redirect_uri: redirect,
      code_verifier: verifier,
      code,
    }),
  })
  const { access_token } = (await answer.json()) as { access_token?: string }
  if (!access_token) throw new Error('no access token came')
  return access_token
}

export type Rival = { session: Record<string, string>; key: Record<string, string>; keyId: string }

export async function betterAuthPerson(base: string, keys: number): Promise<Rival> {
  const body = { email: `bench-${randomBytes(4).toString('hex')}@example.com`, password, name: 'Bench' }
  const origin = { origin: base }
  const answer = await ask(`${base}/api/auth/sign-up/email`, { body, headers: origin })
  const cookie = answer.headers
    .getSetCookie()
    .map(line => line.split(';')[0])
    .join('; ')
  const session = { cookie, ...origin }
  let last = { id: '', key: '' }
  for (let made = 0; made < keys; made += 20) {
    const send = { body: { name: 'Nightly export' }, headers: session }
    const make = async () => (await (await ask(`${base}/api/auth/api-key/create`, send)).json()) as typeof last
    last = (await Promise.all(Array.from({ length: 20 }, make)))[0] ?? last
  }
  return { session, key: { 'x-api-key': last.key }, keyId: last.id }
}
