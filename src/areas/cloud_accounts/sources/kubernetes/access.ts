// How a cluster is called: its address, its authority and who the caller is, checked before anything is sent.
import type { FetchOptions } from '../../../../kit/context.ts'
import { UnreadableSource } from '../unreadable.ts'

/** Certificates and key in PEM. */
export type KubernetesAccess = { server: string; ca?: string; token?: string; cert?: string; key?: string }

/** What every call to the cluster is sent with. The address has no slash at its end. */
export type KubernetesCall = { server: string; options: FetchOptions }

const token = /^[\x21-\x7e]{1,16384}$/
const namespaceName = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const mostNamespaces = 50

export function callTo(access: KubernetesAccess): KubernetesCall {
  const url = URL.canParse(access.server) ? new URL(access.server) : null
  const isPlain = url?.protocol === 'http:'
  if (!url || !(isPlain || url.protocol === 'https:') || url.username || url.password || url.search || url.hash) {
    throw new UnreadableSource('malformed', 'The server must be an address such as https://10.0.0.1:6443.')
  }
  if (isPlain && (access.token || access.cert || access.ca)) {
    throw new UnreadableSource('malformed', 'Over http others could read the credentials; give an https address.')
  }
  if (access.token !== undefined && !token.test(access.token)) {
    throw new UnreadableSource('malformed', 'The token must be one line without spaces; paste it again.')
  }
  if (Boolean(access.cert) !== Boolean(access.key)) {
    throw new UnreadableSource('malformed', 'A client certificate and its key go together; give both, or a token.')
  }
  const headers: Record<string, string> = access.token ? { authorization: `Bearer ${access.token}` } : {}
  const { ca, cert, key } = access
  const tls = ca || cert ? { tls: { ...(ca && { ca }), ...(cert && { cert, key }) } } : {}
  return { server: url.href.replace(/\/+$/, ''), options: { headers, ...tls } }
}

export function checkNamespaces(namespaces: readonly string[] | undefined): void {
  if (!namespaces) return
  if (namespaces.length === 0 || namespaces.length > mostNamespaces) {
    throw new UnreadableSource('malformed', `Name 1 to ${mostNamespaces} namespaces, or none to read all of them.`)
  }
  if (!namespaces.every(name => namespaceName.test(name))) {
    throw new UnreadableSource('malformed', 'Names of namespaces have lower-case letters, digits and dashes only.')
  }
}
