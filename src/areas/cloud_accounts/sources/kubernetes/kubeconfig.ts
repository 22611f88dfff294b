// Reads from a kubeconfig how its current cluster is called; what would need a program or a file elsewhere is refused.

import { readYaml } from '../../../../kit/yaml_text.ts'
import { UnreadableSource } from '../unreadable.ts'
import { at, type Fields, fieldsOf, listOf } from '../values.ts'
import { callTo, type KubernetesAccess } from './access.ts'

const longest = 128 * 1024

const flatten = 'Run `kubectl config view --raw --flatten --minify` and paste what it prints.'
const ownAccount = 'Make a service account with the manifest to paste, and give its token.'

/** Fields that ask for something that Atrium does not do, each with what to do instead. */
const refused = {
  cluster: {
    'certificate-authority': `It names the certificate of the cluster by a file. ${flatten}`,
    'insecure-skip-tls-verify':
      'It trusts whoever answers (insecure-skip-tls-verify). Put the certificate of the cluster into certificate-authority-data instead.',
    'proxy-url': 'It calls the cluster through a proxy (proxy-url). Give an address that Atrium can reach by itself.',
    'tls-server-name':
      'It expects a certificate for another name (tls-server-name). Give as server an address that is in the certificate.',
  },
  user: {
    exec: `It asks a program for its token (exec), which Atrium does not run. ${ownAccount}`,
    'auth-provider': `It asks a program for its token (auth-provider), which Atrium does not run. ${ownAccount}`,
    tokenFile: `It names its token by a file. ${flatten}`,
    'client-certificate': `It names the client certificate by a file. ${flatten}`,
    'client-key': `It names the key by a file. ${flatten}`,
    username: `It logs in with a password, which clusters no longer take. ${ownAccount}`,
    password: `It logs in with a password, which clusters no longer take. ${ownAccount}`,
    as: `It acts as somebody else (as), which needs a right that only reading does not. ${ownAccount}`,
    'as-uid': `It acts as somebody else (as-uid). ${ownAccount}`,
    'as-groups': `It acts as somebody else (as-groups). ${ownAccount}`,
  },
} as const

function wrong(text: string): UnreadableSource {
  return new UnreadableSource('malformed', `This kubeconfig cannot be used. ${text}`)
}

export function readKubeconfig(text: string): KubernetesAccess {
  const config = parsed(text)
  const context = currentOf(config)
  const cluster = named(config, 'clusters', at(context, 'cluster'), 'cluster')
  const user = named(config, 'users', at(context, 'user'), 'user')
  refuse(cluster, refused.cluster)
  refuse(user, refused.user)
  const server = at(cluster, 'server')
  const token = at(user, 'token')
  if (typeof server !== 'string') throw wrong('Its cluster has no server.')
  if (token !== undefined && typeof token !== 'string') throw wrong('Its token is no text.')
  const ca = pemIn(cluster, 'certificate-authority-data', 'CERTIFICATE')
  const cert = pemIn(user, 'client-certificate-data', 'CERTIFICATE')
  const key = pemIn(user, 'client-key-data', 'PRIVATE KEY')
  if (!token && !cert) throw wrong(`Its user has neither a token nor a certificate. ${ownAccount}`)
  const access = { server, ...(ca && { ca }), ...(token && { token }), ...(cert && { cert }), ...(key && { key }) }
  callTo(access)
  return access
}

function parsed(text: string): Fields {
  if (Buffer.byteLength(text) > longest) throw wrong(`It has more than ${longest / 1024} KiB.`)
  const { values, fault } = readYaml(text)
  if (fault) throw wrong(fault.text)
  const config = fieldsOf(values[0])
  if (!config || values.length > 1) throw wrong('It must be one document with clusters, users and contexts.')
  return config
}

function currentOf(config: Fields): Fields {
  const current = at(config, 'current-context')
  if (current) return named(config, 'contexts', current, 'context')
  const contexts = listOf(at(config, 'contexts'))
  const only = contexts.length === 1 ? fieldsOf(at(contexts[0], 'context')) : undefined
  if (!only) throw wrong(`It does not say which of its contexts is meant (current-context). ${flatten}`)
  return only
}

function named(config: Fields, list: string, name: unknown, field: string): Fields {
  const entry = listOf(at(config, list)).find(one => typeof name === 'string' && at(one, 'name') === name)
  const found = fieldsOf(at(entry, field))
  if (!found) throw wrong(`The ${field} that its current context needs is not in it. ${flatten}`)
  return found
}

/** False and empty ask for nothing. */
function refuse(fields: Fields, table: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(table)) if (at(fields, name)) throw wrong(text)
}

/** Base64 of PEM, as kubectl writes it. */
function pemIn(fields: Fields, name: string, what: 'CERTIFICATE' | 'PRIVATE KEY'): string | undefined {
  const given = at(fields, name)
  if (given === undefined || given === '') return undefined
  const pem = typeof given === 'string' ? Buffer.from(given, 'base64').toString('utf8') : ''
  if (pem.includes('ENCRYPTED')) throw wrong(`In ${name} is a key with a password; give one without.`)
  if (!new RegExp(`-----BEGIN [A-Z ]*${what}-----`).test(pem)) throw wrong(`In ${name} there is no PEM. ${flatten}`)
  return pem
}
