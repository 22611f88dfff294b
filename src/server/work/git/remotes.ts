// A remote as one command of git sees it: its address checked and pinned, its credentials in the environment.
import { mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { ForbiddenAddress } from '../../../kit/context.ts'
import { GitFailure, type Remote } from '../../../kit/git.ts'
import { type GitUrl, readGitUrl } from '../../../kit/git_urls.ts'
import { allowedAddresses } from '../outbound.ts'
import { type Environment, type GitFiles, settingsOf } from './environment.ts'

export type Remotes = {
  check(remote: Pick<Remote, 'url' | 'isLocal'>, signal: AbortSignal): Promise<void>
  /** What `work` is given is gone when it ends. */
  during<T>(remote: Remote, signal: AbortSignal, work: (prepared: Prepared) => Promise<T>): Promise<T>
}

export type Prepared = {
  /** For the command line: without credentials. */
  address: string
  environment: Environment
  /** The host's key as it is known now. */
  hostKey(): Promise<string | null>
  /** Takes out of a text what nobody may read. */
  scrub(text: string): string
}

type Options = { files: GitFiles; folder: string; allow: readonly string[]; directories: readonly string[] }

export function gitRemotes({ files, folder, allow, directories }: Options): Remotes {
  async function reachable(url: string, signal: AbortSignal): Promise<{ target: GitUrl; addresses: string[] }> {
    const target = readGitUrl(url)
    if ('fault' in target) throw new GitFailure('address', `the address must be ${target.fault}`)
    const { protocol, host } = target
    if (protocol === 'http' && allow.length === 0) {
      throw new GitFailure('address', 'plain http is only for addresses that OUTBOUND_ALLOW names; use https')
    }
    try {
      return { target, addresses: await allowedAddresses(host, { isPlain: protocol === 'http', allow, signal }) }
    } catch (error) {
      if (signal.aborted) throw new GitFailure('aborted', 'nobody waits for it any more')
      if (error instanceof ForbiddenAddress) throw new GitFailure('address', error.message)
      throw new GitFailure('failed', `Could not resolve host: ${host}`)
    }
  }

  /** Below one of the operator's directories, wherever links lead. */
  async function directoryOf(path: string): Promise<string> {
    for (const directory of directories) {
      const root = await realpath(directory).catch(() => null)
      const real = root && (await realpath(join(root, path)).catch(() => null))
      if (root && real?.startsWith(`${root}${sep}`) && (await stat(real)).isDirectory()) return real
    }
    throw new GitFailure('address', 'there is no such directory below REPOSITORY_DIRS')
  }

  return {
    async check({ url, isLocal }, signal) {
      if (isLocal) await directoryOf(url)
      else await reachable(url, signal)
    },
    async during(remote, signal, work) {
      if (remote.isLocal) {
        const address = await directoryOf(remote.url)
        const environment = { GIT_ALLOW_PROTOCOL: 'file', ...settingsOf({ 'protocol.file.allow': 'always' }) }
        return await work({ address, environment, hostKey: async () => null, scrub: text => text })
      }
      const { target, addresses } = await reachable(remote.url, signal)
      if (target.protocol !== 'ssh') return await work(overHttp(files, remote, target, addresses))
      const own = await mkdtemp(join(folder, 'ssh-'))
      try {
        return await work(await overSsh(own, remote, target, addresses))
      } finally {
        await rm(own, { recursive: true, force: true })
      }
    },
  }
}

/** libcurl connects to what was checked, whatever the DNS says by then; there is no redirect to follow. */
function overHttp(files: GitFiles, { credentials }: Remote, target: GitUrl, addresses: string[]): Prepared {
  const { protocol, host, port, text } = target
  const pinned = addresses.map(address => (address.includes(':') ? `[${address}]` : address)).join(',')
  const environment = {
    GIT_ALLOW_PROTOCOL: protocol,
    ...settingsOf({ [`protocol.${protocol}.allow`]: 'always', 'http.curloptResolve': `${host}:${port}:${pinned}` }),
    ...(credentials.token !== undefined && {
      GIT_ASKPASS: files.askpass,
      ATRIUM_GIT_USERNAME: credentials.username ?? 'git',
      ATRIUM_GIT_TOKEN: credentials.token,
    }),
  }
  return { address: text, environment, hostKey: async () => null, scrub: scrubber(credentials) }
}

async function overSsh(own: string, remote: Remote, target: GitUrl, addresses: string[]): Promise<Prepared> {
  const { credentials, hostKey } = remote
  const knownHosts = join(own, 'known_hosts')
  await writeFile(knownHosts, hostKey ?? '', { mode: 0o600 })
  const key = join(own, 'key')
  // ssh refuses a key without its last line end.
  if (credentials.privateKey) await writeFile(key, `${credentials.privateKey.trim()}\n`, { mode: 0o600 })
  const options = {
    // Connects to what was checked; keys are known by the name.
    HostName: addresses[0] ?? '',
    HostKeyAlias: target.host,
    UserKnownHostsFile: knownHosts,
    GlobalKnownHostsFile: '/dev/null',
    StrictHostKeyChecking: hostKey === null ? 'accept-new' : 'yes',
    UpdateHostKeys: 'no',
    HashKnownHosts: 'no',
    CheckHostIP: 'no',
    IdentityFile: credentials.privateKey ? key : '/dev/null',
    IdentitiesOnly: 'yes',
    IdentityAgent: 'none',
    BatchMode: 'yes',
    PasswordAuthentication: 'no',
    KbdInteractiveAuthentication: 'no',
    GSSAPIAuthentication: 'no',
    ForwardAgent: 'no',
    ForwardX11: 'no',
    ClearAllForwardings: 'yes',
    PermitLocalCommand: 'no',
    ProxyCommand: 'none',
    ControlMaster: 'no',
    ControlPath: 'none',
    ConnectTimeout: '15',
    ServerAliveInterval: '15',
    ServerAliveCountMax: '3',
  }
  const words = Object.entries(options).map(([name, value]) => `-o ${name}=${quoted(value)}`)
  const environment = {
    GIT_ALLOW_PROTOCOL: 'ssh',
    ...settingsOf({ 'protocol.ssh.allow': 'always' }),
    GIT_SSH_COMMAND: `ssh -F /dev/null ${words.join(' ')}`,
    GIT_SSH_VARIANT: 'ssh',
  }
  const seen = async () => (await readFile(knownHosts, 'utf8').catch(() => '')).trim() || null
  const scrubKey = scrubber(credentials)
  const scrub = (text: string) => scrubKey(text).replaceAll(own, 'ssh')
  return { address: target.text, environment, hostKey: seen, scrub }
}

/** For the shell that git starts ssh by. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** Credentials as they are, as they stand in an address, and as a header has them. */
function scrubber({ username, token, privateKey }: Remote['credentials']): (text: string) => string {
  const hidden = [token, privateKey].filter(one => one !== undefined && one !== '') as string[]
  const basic = token === undefined ? [] : [Buffer.from(`${username ?? 'git'}:${token}`).toString('base64')]
  const forms = [...hidden, ...hidden.map(encodeURIComponent), ...basic]
  return text => forms.reduce((rest, form) => rest.replaceAll(form, '•••'), text).replace(/\/\/[^/@\s']+@/g, '//')
}
