// How a cluster is logged in to, and what may be done there: kubeconfigs, and rights against what reading takes.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { readKubeconfig } from '../../src/areas/cloud_accounts/sources/kubernetes/kubeconfig.ts'
import { readKubernetes } from '../../src/areas/cloud_accounts/sources/kubernetes/reading.ts'
import { validateKubernetes } from '../../src/areas/cloud_accounts/sources/kubernetes/validate.ts'
import { UnreadableSource } from '../../src/areas/cloud_accounts/sources/unreadable.ts'
import { outbound } from '../../src/server/work/outbound.ts'
import { shop } from './cluster_objects.ts'
import { type Cluster, ca, caller, cluster, plurals, type Rule, token } from './kubernetes_server.ts'

const fetch = outbound({ allow: ['127.0.0.1'] })
const wait = async () => {}
let there: Cluster
beforeEach(async () => {
  there = await cluster(shop())
})
afterEach(() => there.close())

const base64 = (text: string) => Buffer.from(text).toString('base64')

function kubeconfig(cluster: object, user: object, more: object = {}): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'here',
    contexts: [
      { name: 'other', context: { cluster: 'other', user: 'other' } },
      { name: 'here', context: { cluster: 'c', user: 'u' } },
    ],
    clusters: [{ name: 'c', cluster: { server: there.url, ...cluster } }],
    users: [{ name: 'u', user }],
    ...more,
  })
}

function refusal(text: string): UnreadableSource {
  try {
    readKubeconfig(text)
  } catch (cause) {
    return cause as UnreadableSource
  }
  throw new Error('it was read')
}

describe('a kubeconfig', () => {
  it('says how its current cluster is called, as YAML too', async () => {
    const access = readKubeconfig(`
apiVersion: v1
kind: Config
current-context: here
contexts: [{ name: here, context: { cluster: c, user: u, namespace: shop } }]
clusters:
  - name: c
    cluster:
      server: ${there.url}
      certificate-authority-data: ${base64(ca)}
users:
  - name: u
    user: { token: ${token} }
`)
    expect(access).toEqual({ server: there.url, ca, token })
    expect((await readKubernetes(access, { fetch, wait })).externalId).toBe('the-cluster')
  })

  it('may have a client certificate', async () => {
    const user = { 'client-certificate-data': base64(caller.cert), 'client-key-data': base64(caller.key) }
    const access = readKubeconfig(kubeconfig({ 'certificate-authority-data': base64(ca) }, user))
    expect(access).toEqual({ server: there.url, ca, ...caller })
    expect((await readKubernetes(access, { fetch, wait })).externalId).toBe('the-cluster')
  })

  it.each([
    ['a program', {}, { exec: { command: 'aws' } }, 'does not run'],
    ['a plugin', {}, { 'auth-provider': { name: 'gcp' } }, 'does not run'],
    ['a file of a token', {}, { tokenFile: '/run/token' }, '--flatten'],
    ['a file of a certificate', {}, { 'client-certificate': '/a', 'client-key': '/b' }, '--flatten'],
    ['a file of an authority', { 'certificate-authority': '/etc/ca.pem' }, { token }, '--flatten'],
    ['trust in anybody', { 'insecure-skip-tls-verify': true }, { token }, 'certificate-authority-data'],
    ['a proxy', { 'proxy-url': 'socks5://localhost' }, { token }, 'reach by itself'],
    ['another name', { 'tls-server-name': 'x' }, { token }, 'in the certificate'],
    ['a password', {}, { username: 'a', password: 'b' }, 'service account'],
    ['somebody else', {}, { token, as: 'admin' }, 'service account'],
    ['nobody', {}, {}, 'neither a token nor a certificate'],
    ['half a pair', {}, { 'client-certificate-data': base64(caller.cert) }, 'go together'],
    ['no PEM', { 'certificate-authority-data': 'AAAA' }, { token }, 'no PEM'],
    ['a sealed key', {}, { 'client-key-data': base64('-----BEGIN ENCRYPTED PRIVATE KEY-----') }, 'without'],
    ['plain http', { server: 'http://10.0.0.1' }, { token }, 'https'],
    ['no address', { server: 7 }, { token }, 'no server'],
    ['a token that is none', {}, { token: { a: 1 } }, 'no text'],
  ])('with %s is refused, and says what to do', async (_, cluster, user, words) => {
    const error = refusal(kubeconfig(cluster, user))
    expect([error instanceof UnreadableSource, error.code]).toEqual([true, 'malformed'])
    expect(error.message).toContain(words)
    expect(error.message).not.toMatch(/eyJ|BEGIN/)
  })

  it('of another form is refused without a word of it', async () => {
    const bomb = `a: &a [x,x]\nb: &b [*a,*a]\nclusters: [*b]\n`
    const odd = ['', 'a: [', 'just text', '[]', `${kubeconfig({}, { token })}\n---\n{}`, bomb, 'x'.repeat(300 * 1024)]
    odd.push(kubeconfig({}, { token }, { 'current-context': 'nowhere' }), kubeconfig({}, { token }, { users: 7 }))
    odd.push(kubeconfig({}, { token }, { 'current-context': undefined }), '{"__proto__":{"clusters":[]}}')
    for (const text of odd) {
      const error = refusal(text)
      expect([text.slice(0, 20), error.code, error.message.includes(token)]).toEqual([
        text.slice(0, 20),
        'malformed',
        false,
      ])
    }
  })
})

const validate = (options: object = {}, access: object = {}) =>
  validateKubernetes({ server: there.url, ca, token, ...access }, { fetch, wait, ...options })

/** The rules that a manifest gives, where they count. */
function rulesOf(manifest: string): Rule[] {
  const objects = parseAllDocuments(manifest).map(one => one.toJS())
  const roles = new Map(
    objects.filter(({ kind }) => kind === 'ClusterRole').map(role => [role.metadata.name, role.rules]),
  )
  return objects
    .filter(({ roleRef }) => roleRef)
    .flatMap(({ kind, metadata, roleRef, subjects }) => {
      expect(subjects).toEqual([{ kind: 'ServiceAccount', name: 'atrium-reader', namespace: 'atrium' }])
      const where = kind === 'RoleBinding' ? { namespace: metadata.namespace } : {}
      return roles.get(roleRef.name).map((rule: Rule) => ({ ...rule, ...where }))
    })
}

describe('rights', () => {
  it('of the manifest are exactly those that reading takes', async () => {
    for (const extent of [{}, { without: ['secrets', 'configmaps'] }, { namespaces: ['shop'] }]) {
      there.rules = rulesOf((await validate(extent)).policy)
      expect(await validate(extent)).toMatchObject({ missing: [], tooMany: [] })
      const found = await readKubernetes({ server: there.url, ca, token }, { fetch, wait, ...extent })
      expect([found.externalId, found.unseen]).toEqual(['the-cluster', []])
    }
    const { policy } = await validate({ without: ['secrets'] })
    expect([policy.includes('secrets'), (await validate()).policy.includes('read their values')]).toEqual([false, true])
    expect(parseAllDocuments(policy).map(one => one.toJS().kind)).toEqual([
      'Namespace',
      'ServiceAccount',
      'ClusterRole',
      'ClusterRoleBinding',
    ])
  })

  it('are told: there, missing', async () => {
    there.rules = [{ verbs: ['list', 'get', 'watch'], apiGroups: ['', 'apps'], resources: ['pods', 'deployments'] }]
    const { present, missing } = await validate()
    expect(present.sort()).toEqual(['list deployments.apps', 'list pods'])
    expect(missing).toHaveLength(plurals.length - 2)
    expect(missing).toContain('list ingresses.networking.k8s.io')
    there.rules = []
    expect((await validate({ namespaces: ['shop'] })).missing).toContain('list pods in shop')
  })

  it.each<[string, Rule, string[]]>([
    ['of an administrator', { verbs: ['*'], apiGroups: ['*'], resources: ['*'] }, ['every verb on everything']],
    [
      'to write',
      { verbs: ['list', 'create', 'delete'], apiGroups: ['apps'], resources: ['deployments'] },
      ['create, delete deployments.apps'],
    ],
    [
      'to read secrets',
      { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['secrets'] },
      ['get, watch secrets: reads or changes the values of secrets'],
    ],
    [
      'to run commands',
      { verbs: ['create'], apiGroups: [''], resources: ['pods/exec'] },
      ['create pods/exec: reaches into what runs'],
    ],
    [
      'to be somebody else',
      { verbs: ['impersonate'], apiGroups: [''], resources: ['users'] },
      ['impersonate users: gives itself other rights'],
    ],
    [
      'to read what nobody asked for',
      { verbs: ['list'], apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles'] },
      ['list roles.rbac.authorization.k8s.io'],
    ],
    ['to look closer', { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['pods', 'nodes'] }, []],
    [
      'in a namespace',
      { verbs: ['patch'], apiGroups: [''], resources: ['pods'], namespace: 'kube-system' },
      ['patch pods'],
    ],
  ])('%s are too many, or are not', async (_, rule, tooMany) => {
    there.rules = [rule]
    expect((await validate()).tooMany).toEqual(tooMany)
  })

  it('outside of the namespaces that are read are too many', async () => {
    there.rules = [{ verbs: ['list'], apiGroups: [''], resources: ['pods'] }]
    expect((await validate({ namespaces: ['shop'] })).tooMany).toEqual(['list pods'])
  })

  it('are asked for one by one where the cluster cannot list them', async () => {
    there.isIncomplete = true
    there.rules = [{ verbs: ['get'], apiGroups: [''], resources: ['secrets'] }]
    expect((await validate()).tooMany).toEqual(['get secrets: reads or changes the values of secrets'])
  })

  it('of credentials that are refused are no rights', async () => {
    const error = await validate({}, { token: 'another' }).catch(cause => cause)
    expect([error instanceof UnreadableSource, error.code]).toEqual([true, 'auth'])
    await expect(validate({}, { server: 'https://127.0.0.1:1' })).rejects.toThrow('does not listen')
  })
})
