// What is sent about a repository, as far as it fits together: its address, and the credentials for it.
import type { Static } from 'typebox'
import { refused } from '../../contract/errors.ts'
import type { BeforeContext, Caller } from '../../kit/context.ts'
import type { Db } from '../../kit/db.ts'
import { GitFailure } from '../../kit/git.ts'
import { type GitUrl, readGitUrl } from '../../kit/git_urls.ts'
import { readable } from '../../kit/references.ts'
import { directory } from '../../operations.ts'
import { type HostConnection, hostNamed, isBelow } from '../integrations/hosts/credentials.ts'
import type { Credentials, Repository } from './fields/contract.ts'

type Provider = Static<typeof Repository>['provider']

export type Place = { url: string; provider: Provider; name: string; protocol: GitUrl['protocol'] | 'local' }

const longestUrl = 2048

/** As it is kept: two spellings of one address are one. */
export function placeOf(url: string, provider: Provider | undefined): Place {
  if (provider === 'local') return localPlace(url)
  const read = readGitUrl(url)
  if ('fault' in read) throw refused('url', 'url', read.fault)
  if (!/^[!-~]+$/.test(read.text) || read.text.length > longestUrl) {
    throw refused('url', 'url', 'an address of plain letters')
  }
  const byHost: Record<string, Provider> = { 'github.com': 'github', 'gitlab.com': 'gitlab' }
  return {
    url: read.text,
    provider: provider ?? byHost[read.host] ?? 'git',
    name: nameIn(read.text),
    protocol: read.protocol,
  }
}

function localPlace(url: string): Place {
  const path = url.replace(/^\/+|\/+$/g, '')
  const isPlain = path.split('/').every(part => part !== '' && part !== '.' && part !== '..')
  if (!isPlain || /[\u0000-\u001f\u007f]/.test(path) || Buffer.byteLength(path) > longestUrl) {
    throw refused('url', 'url', 'a path below one of the directories that the operator allows')
  }
  return { url: path, provider: 'local', name: nameIn(path), protocol: 'local' }
}

function nameIn(url: string): string {
  const last = url.split(/[/:]/).filter(Boolean).at(-1) ?? ''
  const bare = last
    .replace(/\.git$/, '')
    .slice(0, 128)
    .trim()
  return bare === '' ? 'repository' : bare
}

/** Only those that the address can use; none at all for a directory. */
export function refuseCredentials({ protocol }: Place, given: Static<typeof Credentials>): void {
  const { username, token, privateKey } = given
  if (username !== undefined && token === undefined) {
    throw refused('credentials.username', 'credentials', 'sent together with "credentials.token"')
  }
  if (token !== undefined && protocol !== 'https' && protocol !== 'http') {
    throw refused('credentials.token', 'credentials', 'left out: it is for https only')
  }
  if (privateKey !== undefined && protocol !== 'ssh') {
    throw refused('credentials.privateKey', 'credentials', 'left out: it is for ssh only')
  }
}

const hosts = 'an integration of this workspace, of the type github, gitlab or gitea, that you may read'

/** 400 where it is none, of another type, of another workspace, or not to be read by the caller: nobody learns which. */
export async function hostGiven(db: Db, caller: Caller, workspaceId: string, id: string): Promise<HostConnection> {
  const [found] = await readable(db, directory, caller, workspaceId, [{ object: 'integration', id }])
  const host = found && (await hostNamed(db, workspaceId, id))
  if (!host) throw unknownHost()
  return host
}

export function unknownHost() {
  return refused('integrationId', 'reference', hosts)
}

/** One or the other; and only for addresses that its token may be sent to. */
export function refuseHost(host: HostConnection, { url, protocol }: Place, given: Static<typeof Credentials>): void {
  if (Object.values(given).some(value => value !== undefined)) {
    throw refused('integrationId', 'credentials', 'left out where "credentials" are sent: it stands in for them')
  }
  if (protocol !== 'https' && protocol !== 'http') {
    throw refused('integrationId', 'credentials', 'left out: its token is for https only')
  }
  if (!isBelow(host, url)) {
    throw refused('integrationId', 'host', 'one of the host in "url": its token is sent to no other')
  }
}

/** Addresses that may not be called are refused at once; what cannot be looked up now shows in the first sync. */
export async function refuseAddress({ git }: Pick<BeforeContext, 'git'>, { url, protocol }: Place): Promise<void> {
  try {
    await git.check({ url, isLocal: protocol === 'local' })
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error
    if (error.fault === 'address') throw refused('url', 'address', `one that may be called: ${error.text}`)
  }
}
