// Logging in and out, and saying who is logged in.
import { type Credential, RequestError } from '../client/transport.ts'
import { CliError, usage } from './failures.ts'
import { configFolder } from './files.ts'
import { underLock } from './lock.ts'
import { forgetLogin, openLogin, saveLogin } from './logins.ts'
import { type OutputOptions, print } from './output.ts'
import { readProfiles, type StoredCredential, type StoredLogin, saveProfiles } from './profiles.ts'
import { call, credentialOf, type Session } from './session.ts'
import { readAll } from './terminal.ts'

type LoginOptions = { apiKey?: string; token?: string; device?: boolean; browser?: boolean; workspace?: string }

export async function login(session: Session, options: LoginOptions): Promise<void> {
  const { terminal, settings } = session
  const { baseUrl } = settings
  const credential = await obtain(session, options)
  const presented = presentedBy(credential)
  const who = await identify(session, presented)
  const workspaceId = options.workspace ?? (await onlyWorkspace(session, presented))
  await underLock(configFolder(terminal.env), terminal.signal, async () => {
    await saveLogin(terminal, settings.profile, credential)
    const file = readProfiles(terminal.env)
    const isFirst = Object.keys(file.profiles).length === 0
    const profiles = { ...file.profiles, [settings.profile]: { baseUrl, ...(workspaceId && { workspaceId }) } }
    saveProfiles(terminal.env, { current: isFirst ? settings.profile : file.current, profiles })
  })
  const where = workspaceId ? `, workspace ${workspaceId}` : ''
  terminal.stderr.write(`Logged in to ${baseUrl} as ${who}${where} (profile ${settings.profile}).\n`)
}

async function obtain(session: Session, options: LoginOptions): Promise<StoredCredential> {
  const { baseUrl } = session.settings
  const { apiKey, token } = options
  if (apiKey !== undefined && token !== undefined) throw usage('--api-key and --token were both given.', 'Give one.')
  if (apiKey !== undefined) return { kind: 'api_key', baseUrl, secret: await secretFrom(session, apiKey, 'API key') }
  if (token !== undefined) return { kind: 'token', baseUrl, secret: await secretFrom(session, token, 'token') }
  const oauth = await import('./oauth.ts')
  const { env, stderr } = session.terminal
  const isRemote = Boolean(env.SSH_CONNECTION) || (process.platform === 'linux' && !env.DISPLAY && !env.WAYLAND_DISPLAY)
  if (options.device || (isRemote && !env.BROWSER && options.browser !== false)) return await oauth.byDevice(session)
  if (!stderr.isTTY && !env.BROWSER && options.browser !== false) {
    throw usage('There is no terminal to log in from.', 'Pipe a key: atrium login --api-key - (or use --device).')
  }
  return await oauth.byBrowser(session, options.browser !== false)
}

async function secretFrom({ terminal }: Session, given: string, what: string): Promise<string> {
  const secret = (given === '-' ? await readAll(terminal.stdin) : given).trim()
  if (!secret || /\s/.test(secret)) throw usage(`That is no ${what}.`, `Pipe it: echo "$SECRET" | atrium login … -`)
  return secret
}

function presentedBy(credential: StoredCredential): Credential {
  if (credential.kind === 'api_key') return { apiKey: credential.secret }
  if (credential.kind === 'token') return { token: credential.secret }
  return { token: credential.accessTokens['/v1']?.token }
}

/** A key of a team or of the platform has no user, and is still valid. */
async function identify(session: Session, credential: Credential): Promise<string> {
  try {
    const user = (await call(session, 'auth.whoami', {}, credential)) as { email: string | null; id: string }
    return user.email ?? user.id
  } catch (error) {
    if (error instanceof RequestError && error.status === 403) return 'a key without a user'
    if (!(error instanceof RequestError) || error.status !== 401) throw error
    const what = credential.apiKey ? 'API key' : 'token'
    throw new CliError(
      'refused',
      `The service does not know this ${what}; nothing was stored.`,
      'Make a new one, or check --base-url.',
    )
  }
}

/** Where there is just one, there is nothing to choose. */
async function onlyWorkspace(session: Session, credential: Credential): Promise<string | undefined> {
  try {
    const found = await call(session, 'workspaces.list', { query: { perPage: 2 } }, credential)
    const { items } = found as { items: { id: string }[] }
    return items.length === 1 ? items[0]?.id : undefined
  } catch (error) {
    if (error instanceof RequestError && error.status === 403) return undefined
    throw error
  }
}

export async function logout(session: Session): Promise<void> {
  const { terminal, settings } = session
  const { stored, profile } = settings
  if (!stored) throw usage(`Profile ${profile} is not logged in to ${settings.baseUrl}.`, 'See: atrium profile list')
  await underLock(configFolder(terminal.env), terminal.signal, async () => {
    await endLogin(session, stored)
    await forgetLogin(terminal, profile)
  })
  const note = stored.kind === 'api_key' ? ' The key itself goes on; delete it with: atrium api_keys del' : ''
  terminal.stderr.write(`Logged out of ${settings.baseUrl} (profile ${profile}).${note}\n`)
}

async function endLogin(session: Session, login: StoredLogin): Promise<void> {
  if (login.kind === 'api_key') return
  const stored = await openLogin(session.terminal, session.settings.profile, login)
  if (stored.kind === 'token') await call(session, 'auth.logout', {}, { token: stored.secret })
  if (stored.kind !== 'oauth') return
  const { revoke } = await import('./oauth.ts')
  await revoke(session, stored)
}

export async function whoami(session: Session, options: OutputOptions): Promise<void> {
  const { settings, terminal } = session
  const credential = await credentialOf(session)
  if (!credential.apiKey && !credential.token) {
    throw new CliError('refused', `Not logged in to ${settings.baseUrl}.`, 'Run: atrium login')
  }
  const user = await userOf(session, credential)
  const result = {
    ...user,
    profile: settings.profile,
    baseUrl: settings.baseUrl,
    workspaceId: settings.workspaceId ?? null,
    credential: credential.apiKey
      ? 'api_key'
      : settings.stored?.kind === 'oauth' && !settings.given
        ? 'oauth'
        : 'token',
    source: settings.source,
  }
  await print(terminal, result, options)
}

async function userOf(session: Session, credential: Credential): Promise<object> {
  try {
    return (await call(session, 'auth.whoami', {}, credential)) as object
  } catch (error) {
    if (error instanceof RequestError && error.status === 403) return { id: null }
    throw error
  }
}
