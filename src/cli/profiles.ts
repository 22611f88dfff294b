// Profiles: which service, which workspace, which credential; flag before environment before what is stored.
import { join } from 'node:path'
import { CliError, usage } from './failures.ts'
import { closeToOthers, configFolder, readJson, writePrivate } from './files.ts'
import type { Terminal } from './terminal.ts'

export type Profile = { baseUrl: string; workspaceId?: string | undefined }

type ProfilesFile = { current: string; profiles: Record<string, Profile> }

export type StoredCredential =
  | { kind: 'api_key'; baseUrl: string; secret: string }
  | { kind: 'token'; baseUrl: string; secret: string }
  | OAuthCredential

/** What the file keeps of a login whose secrets are in the keyring. */
type LoginInKeyring = { kind: StoredCredential['kind']; baseUrl: string; inKeyring: true }

export type StoredLogin = StoredCredential | LoginInKeyring

export type OAuthCredential = {
  kind: 'oauth'
  baseUrl: string
  clientId: string
  refreshToken?: string | undefined
  /** By resource: a token for the API is refused at the MCP server and the other way round. */
  accessTokens: Record<string, { token: string; expires: string }>
}

export type Flags = { profile?: string; baseUrl?: string; apiKey?: string; token?: string }

export type Settings = {
  profile: string
  /** It was asked for by name, and nothing is stored under it. */
  isUnknownProfile: boolean
  baseUrl: string
  workspaceId: string | undefined
  /** Given by a flag or the environment; it overrides what is stored. */
  given: { apiKey?: string; token?: string } | undefined
  /** Where the credential comes from, in words. */
  source: string
  stored: StoredLogin | undefined
}

const defaultBaseUrl = 'http://127.0.0.1:3000'
const emptyProfiles: ProfilesFile = { current: 'default', profiles: {} }

function profilesPath(env: Terminal['env']): string {
  return join(configFolder(env), 'profiles.json')
}

export function credentialsPath(env: Terminal['env']): string {
  return join(configFolder(env), 'credentials.json')
}

export function readProfiles(env: Terminal['env']): ProfilesFile {
  return { ...emptyProfiles, ...readJson<ProfilesFile>(profilesPath(env)) }
}

export function saveProfiles(env: Terminal['env'], file: ProfilesFile): void {
  writePrivate(profilesPath(env), `${JSON.stringify(file, null, 2)}\n`)
}

export function readCredentials({ env, stderr }: Pick<Terminal, 'env' | 'stderr'>): Record<string, StoredLogin> {
  const path = credentialsPath(env)
  if (closeToOthers(path)) stderr.write(`atrium: others could read ${path}; it is closed to them now.\n`)
  return readJson(path) ?? {}
}

export function checkedBaseUrl(text: string): string {
  const isUsable = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
  if (!isUsable) throw usage(`${text} is not an address of a service.`, 'Give one such as https://atrium.example.com')
  return text.replace(/\/+$/, '')
}

export function resolveSettings(terminal: Pick<Terminal, 'env' | 'stderr'>, flags: Flags): Settings {
  const { env } = terminal
  const file = readProfiles(env)
  const profile = flags.profile ?? (env.ATRIUM_PROFILE || file.current)
  const known = file.profiles[profile]
  const baseUrl = checkedBaseUrl(flags.baseUrl ?? (env.ATRIUM_BASE_URL || known?.baseUrl || defaultBaseUrl))
  const stored = readCredentials(terminal)[profile]
  // A stored credential belongs to one service and is never sent to another.
  const isForHere = stored !== undefined && new URL(stored.baseUrl).origin === new URL(baseUrl).origin
  const { given, source } = givenCredential(flags, env)
  return {
    profile,
    isUnknownProfile: known === undefined && (flags.profile ?? env.ATRIUM_PROFILE ?? '') !== '',
    baseUrl,
    workspaceId: env.ATRIUM_WORKSPACE || known?.workspaceId,
    given,
    source: given ? source : isForHere ? `profile ${profile}${'inKeyring' in stored ? ' (keyring)' : ''}` : 'none',
    stored: isForHere ? stored : undefined,
  }
}

function givenCredential(flags: Flags, env: Terminal['env']): Pick<Settings, 'given' | 'source'> {
  const tiers = [
    { apiKey: flags.apiKey, token: flags.token, source: 'flag' },
    { apiKey: env.ATRIUM_API_KEY || undefined, token: env.ATRIUM_TOKEN || undefined, source: 'environment' },
  ]
  for (const { apiKey, token, source } of tiers) {
    if (apiKey && token) throw usage('An API key and a token were both given.', 'Give one of them.')
    if (apiKey) return { given: { apiKey }, source }
    if (token) return { given: { token }, source }
  }
  return { given: undefined, source: 'none' }
}

/** A profile that was asked for by name must be there. */
export function requireProfile(env: Terminal['env'], name: string): Profile {
  const found = readProfiles(env).profiles[name]
  if (!found) throw new CliError('usage', `There is no profile ${name}.`, `Run: atrium login --profile ${name}`)
  return found
}
