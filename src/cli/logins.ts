// Stored logins: whole in the keyring where there is one, else in the file; the file says which.
import { CliError } from './failures.ts'
import { writePrivate } from './files.ts'
import { type Keyring, keyringOf } from './keyring.ts'
import { credentialsPath, readCredentials, type StoredCredential, type StoredLogin } from './profiles.ts'
import type { Terminal } from './terminal.ts'

type Place = Pick<Terminal, 'env' | 'stderr' | 'keyring'>

/** The login with its secrets. */
export async function openLogin(place: Place, profile: string, login: StoredLogin): Promise<StoredCredential> {
  if (!('inKeyring' in login)) return login
  const text = await readKeyring(place, profile)
  const found: StoredCredential | null = text === null ? null : JSON.parse(text)
  // Another folder of profiles may have put its own there: it is for its own service alone.
  if (found?.baseUrl === login.baseUrl && found.kind === login.kind) return found
  throw new CliError('refused', `The keyring no longer has the login of profile ${profile}.`, 'Run: atrium login')
}

async function readKeyring(place: Place, profile: string): Promise<string | null> {
  const silent = new CliError(
    'refused',
    `The login of profile ${profile} is in the system's keyring, which cannot be read.`,
    'Unlock it, or run: atrium login',
  )
  const keyring = await keyringOf(place)
  if (!keyring) throw silent
  return await keyring.get(profile).catch(() => {
    throw silent
  })
}

export async function saveLogin(place: Place, profile: string, credential: StoredCredential): Promise<void> {
  await put(place, profile, credential, await keyringOf(place))
}

/** A login that was renewed stays where it is. */
export async function saveRenewed(place: Place, profile: string, credential: StoredCredential): Promise<void> {
  const before = readCredentials(place)[profile]
  await put(place, profile, credential, before && 'inKeyring' in before ? await keyringOf(place) : undefined)
}

async function put(place: Place, profile: string, credential: StoredCredential, keyring?: Keyring): Promise<void> {
  const { kind, baseUrl } = credential
  const isKept = await keyring?.set(profile, JSON.stringify(credential)).then(
    () => true,
    // Locked, or too small for this login, as on Windows: the file takes it.
    () => false,
  )
  if (!isKept) await leaveKeyring(place, profile)
  writeLogins(place, { ...readCredentials(place), [profile]: isKept ? { kind, baseUrl, inKeyring: true } : credential })
}

export async function forgetLogin(place: Place, profile: string): Promise<void> {
  await leaveKeyring(place, profile)
  const { [profile]: _, ...others } = readCredentials(place)
  writeLogins(place, others)
}

async function leaveKeyring(place: Place, profile: string): Promise<void> {
  const before = readCredentials(place)[profile]
  if (!before || !('inKeyring' in before)) return
  const keyring = await keyringOf(place)
  const isGone = await keyring?.remove(profile).then(
    () => true,
    () => false,
  )
  if (!isGone) place.stderr.write(`atrium: the keyring cannot be changed; its entry atrium/${profile} stays there.\n`)
}

function writeLogins({ env }: Place, logins: Record<string, StoredLogin>): void {
  writePrivate(credentialsPath(env), `${JSON.stringify(logins, null, 2)}\n`)
}
