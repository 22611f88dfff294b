// The system's keyring behind three functions; where there is none, everything goes on without it.
import type { Terminal } from './terminal.ts'

export type Keyring = {
  get(profile: string): Promise<string | null>
  set(profile: string, secret: string): Promise<void>
  remove(profile: string): Promise<void>
}

type Entry = {
  getPassword(): Promise<string | null>
  setPassword(secret: string): Promise<void>
  deletePassword(): Promise<boolean>
}
type EntryOptions = { linux: { store: 'secret-service' } }
type Package = { AsyncEntry: new (program: string, profile: string, options: EntryOptions) => Entry }

// An optional dependency: the compiler must not ask for it either.
const packageName: string = '@napi-rs/keyring'
// The kernel's keyring, taken by default where there is no other, forgets at the next start of the machine.
const options: EntryOptions = { linux: { store: 'secret-service' } }
const longestProbeMs = 200

export async function keyringOf({ env, keyring }: Pick<Terminal, 'env' | 'keyring'>): Promise<Keyring | undefined> {
  return env.ATRIUM_KEYRING === 'off' ? undefined : await keyring?.()
}

/** Undefined where the package or the keyring itself is missing. */
export async function systemKeyring(env: Terminal['env']): Promise<Keyring | undefined> {
  const needsBus = process.platform !== 'darwin' && process.platform !== 'win32'
  if (needsBus && !(await busAnswers(env))) return undefined
  try {
    const { AsyncEntry }: Package = await import(packageName)
    const entry = (profile: string) => new AsyncEntry('atrium', profile, options)
    // Fails at once where nobody on the bus keeps secrets.
    entry('default')
    return {
      get: async profile => (await entry(profile).getPassword()) ?? null,
      set: (profile, secret) => entry(profile).setPassword(secret),
      remove: async profile => void (await entry(profile).deletePassword()),
    }
  } catch {
    return undefined
  }
}

/** The package waits for a silent bus without end and without letting go of the thread, so it is asked for first. */
export async function busAnswers(env: Terminal['env']): Promise<boolean> {
  const path = busPath(env)
  if (!path) return false
  const { connect } = await import('node:net')
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect(path)
  const timer = setTimeout(() => resolve(false), longestProbeMs)
  socket.on('error', () => resolve(false))
  socket.on('close', () => resolve(false))
  socket.on('data', () => resolve(true))
  // A question about ways to log in, which every bus answers.
  socket.write('\0AUTH\r\n')
  const isThere = await promise
  clearTimeout(timer)
  socket.destroy()
  return isThere
}

function busPath(env: Terminal['env']): string | undefined {
  const address = env.DBUS_SESSION_BUS_ADDRESS
  if (!address) return env.XDG_RUNTIME_DIR && `${env.XDG_RUNTIME_DIR}/bus`
  const [, kind, name = ''] = /^unix:(?:[^;]*,)?(path|abstract)=([^,;]+)/.exec(address) ?? []
  if (!kind) return undefined
  return (kind === 'abstract' ? '\0' : '') + decodeURIComponent(name)
}
