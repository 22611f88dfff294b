// Kubernetes manifests: every kind and edge, names of secrets and nothing of them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Found } from '../../src/areas/cloud_accounts/found/contract.ts'
import { nodesAndEdges } from '../../src/areas/cloud_accounts/sources/kubernetes/objects.ts'
import { readManifestFiles, readManifests } from '../../src/areas/cloud_accounts/sources/manifests.ts'
import { expectWellFormed, nodeLines, typedEdgeLines } from './found_lines.ts'

const path = 'k8s/shop.yaml'

const shop = readFileSync(join(import.meta.dirname, 'manifests/shop.yaml'), 'utf8')

function edges(found: Pick<Found, 'edges'>): string[] {
  return typedEdgeLines({ externalId: null, nodes: [], unseen: [], ...found }).map(line => line.replaceAll('k8s.', ''))
}

describe('a manifest', () => {
  it('gives every object of a kind that is read', async () => {
    const found = await readManifests(shop, { path })
    expect(found.unseen).toEqual([])
    expect(found.nodes.map(({ type, externalId, category }) => `${type} ${externalId} ${category}`)).toEqual([
      'k8s.namespace shop config',
      'k8s.deployment shop/web compute',
      'k8s.statefulset shop/db compute',
      'k8s.daemonset shop/logs compute',
      'k8s.cronjob shop/nightly compute',
      'k8s.service shop/web network',
      'k8s.service shop/db network',
      'k8s.service other/elsewhere network',
      'k8s.ingress shop/web network',
      'k8s.ingress shop/former network',
      'k8s.persistentvolumeclaim shop/uploads storage',
      'k8s.persistentvolumeclaim shop/data-db-0 storage',
      'k8s.persistentvolume pv-1 storage',
      'k8s.horizontalpodautoscaler shop/web config',
      'k8s.networkpolicy shop/closed security',
      'k8s.serviceaccount shop/web identity',
      'k8s.configmap shop/web-env config',
      'k8s.secret shop/web-secret security',
      'k8s.job shop/seed compute',
      'k8s.pod shop/debug compute',
    ])
    expectWellFormed(found)
  })

  it('gives every edge, to what is in other files too', async () => {
    const lines = edges(await readManifests(shop, { path }))
    const [contained, others] = [
      lines.filter(line => line.includes(' contains ')),
      lines.filter(line => !line.includes(' contains ')),
    ]
    expect(contained.length).toBe(18)
    expect(contained.filter(line => !line.startsWith('namespace:shop contains '))).toEqual([
      'namespace:other contains service:other/elsewhere',
    ])
    expect(others.sort()).toEqual(
      [
        'deployment:shop/web writes persistentvolumeclaim:shop/uploads',
        'deployment:shop/web depends_on serviceaccount:shop/web',
        'deployment:shop/web reads configmap:shop/web-files',
        'deployment:shop/web reads configmap:shop/web-env',
        'deployment:shop/web reads configmap:shop/web-all',
        'deployment:shop/web reads configmap:shop/projected',
        'deployment:shop/web reads secret:shop/projected',
        'deployment:shop/web reads secret:shop/registry',
        'deployment:shop/web reads secret:shop/web-tls',
        'deployment:shop/web reads secret:shop/web-secret',
        'deployment:shop/web reads secret:shop/web-all-secret',
        'statefulset:shop/db writes persistentvolumeclaim:shop/data-db-0',
        'cronjob:shop/nightly depends_on serviceaccount:shop/jobs',
        'pod:shop/debug deploys_to node:node-1',
        'service:shop/web connects_to deployment:shop/web',
        'service:shop/web connects_to pod:shop/debug',
        'service:shop/db connects_to statefulset:shop/db',
        'ingress:shop/web connects_to service:shop/fallback',
        'ingress:shop/web connects_to service:shop/web',
        'ingress:shop/web reads secret:shop/ingress-tls',
        'ingress:shop/former connects_to service:shop/web',
        'persistentvolumeclaim:shop/uploads depends_on persistentvolume:pv-1',
        'serviceaccount:shop/web reads secret:shop/web-account',
        'horizontalpodautoscaler:shop/web depends_on deployment:shop/web',
      ].sort(),
    )
  })

  it('keeps images, sizes and ports, and of configs and secrets the name alone', async () => {
    const { nodes } = await readManifests(shop, { path })
    const node = (key: string) => nodes.find(({ type, externalId }) => `${type}:${externalId}` === `k8s.${key}`)
    expect(node('deployment:shop/web')).toMatchObject({
      tags: { app: 'web' },
      properties: {
        namespace: 'shop',
        replicas: 3,
        strategy: 'RollingUpdate',
        images: ['acme/web:2', 'acme/migrate:2'],
        containerPorts: [8080],
      },
    })
    expect(node('service:shop/web')?.properties.ports).toEqual([{ name: 'http', port: 80, targetPort: 8080 }])
    expect(node('ingress:shop/web')?.properties).toMatchObject({
      class: 'nginx',
      hosts: ['shop.example.com'],
      hasTls: true,
    })
    expect(node('cronjob:shop/nightly')?.properties).toMatchObject({ schedule: '0 3 * * *', images: ['acme/jobs'] })
    expect(node('persistentvolume:pv-1')?.properties).toMatchObject({ size: '10Gi', volumeHandle: 'vol-1' })
    for (const key of ['secret:shop/web-secret', 'configmap:shop/web-env']) {
      expect(node(key)).toMatchObject({ properties: { namespace: 'shop' }, tags: {} })
    }
  })

  it('keeps its secrets', async () => {
    const told = JSON.stringify(await readManifests(shop, { path }))
    expect(new Set(shop.match(/hunter2-\w+|aHVudGVyMg/g)).size).toBeGreaterThan(9)
    expect(told).not.toMatch(/hunter2|aHVudGVyMg/)
  })

  it('may be JSON, a list, or a list of one kind, and is in "default" where it names no namespace', async () => {
    const pod = { metadata: { name: 'p' }, spec: { containers: [] } }
    const lines = async (value: unknown) => nodeLines(await readManifests(JSON.stringify(value), { path: 'a.json' }))
    expect(await lines({ apiVersion: 'v1', kind: 'Pod', ...pod })).toEqual(['default/p is compute "p"'])
    expect(await lines({ apiVersion: 'v1', kind: 'List', items: [{ kind: 'Pod', ...pod }] })).toEqual([
      'default/p is compute "p"',
    ])
    expect(await lines({ apiVersion: 'v1', kind: 'PodList', items: [pod] })).toEqual(['default/p is compute "p"'])
    const flow = '{apiVersion: v1, kind: Pod, metadata: {name: p}}'
    expect(nodeLines(await readManifests(flow, { path: 'a.yaml' }))).toEqual(['default/p is compute "p"'])
  })
})

describe('several files', () => {
  const service = 'apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {selector: {app: web}}\n'
  const pod = 'apiVersion: v1\nkind: Pod\nmetadata: {name: web, labels: {app: web}}\n'
  it('find each other by selectors', async () => {
    const found = await readManifestFiles([
      { path: 'a.yaml', text: service },
      { path: 'b.yaml', text: pod },
      { path: 'values.yaml', text: 'image: web' },
    ])
    expect(edges(found)).toContain('service:default/web connects_to pod:default/web')
    expect(found.unseen).toEqual([])
  })

  it('are read as far as they can be', async () => {
    const found = await readManifestFiles([
      { path: 'a.yaml', text: pod },
      { path: 'b.yaml', text: 'kind: Pod\nmetadata: [' },
      { path: 'c.yaml', text: `#${' '.repeat(9 * 1024 * 1024)}` },
    ])
    expect(found.nodes.length).toBe(1)
    expect(found.unseen.map(({ code, text }) => `${code} ${text.split(' ')[0]}`)).toEqual([
      'malformed b.yaml',
      'too_large c.yaml',
    ])
  })
})

describe('objects of a cluster', () => {
  const owned = (kind: string, name: string, owner: [string, string] | null, more: Record<string, unknown> = {}) => ({
    kind,
    metadata: {
      name,
      namespace: 'shop',
      labels: { app: 'web' },
      ...(owner && { ownerReferences: [{ apiVersion: 'apps/v1', kind: owner[0], name: owner[1], controller: true }] }),
    },
    ...more,
  })
  const spec = {
    nodeName: 'node-1',
    serviceAccountName: 'web',
    volumes: [{ persistentVolumeClaim: { claimName: 'c' } }],
  }
  const template = { metadata: { labels: { app: 'web' } }, spec }
  const objects = [
    { kind: 'Namespace', metadata: { name: 'shop' } },
    { kind: 'Node', metadata: { name: 'node-1', labels: { 'topology.kubernetes.io/zone': 'a' } } },
    owned('Deployment', 'web', null, { spec: { template } }),
    owned('ReplicaSet', 'web-1', ['Deployment', 'web'], { spec: { replicas: 0, template } }),
    owned('ReplicaSet', 'web-2', ['Deployment', 'web'], { spec: { replicas: 1, template } }),
    owned('Pod', 'web-2-x', ['ReplicaSet', 'web-2'], { spec }),
    owned('Service', 'web', null, { spec: { selector: { app: 'web' } } }),
    owned('Service', 'all', null, { spec: { selector: {} } }),
  ]

  it('are contained by their owners, and told of once', () => {
    const found = nodesAndEdges(objects)
    expect(edges(found)).toEqual([
      'namespace:shop contains deployment:shop/web',
      'namespace:shop contains service:shop/web',
      'namespace:shop contains service:shop/all',
      'deployment:shop/web contains replicaset:shop/web-2',
      'replicaset:shop/web-2 contains pod:shop/web-2-x',
      'deployment:shop/web writes persistentvolumeclaim:shop/c',
      'deployment:shop/web depends_on serviceaccount:shop/web',
      'service:shop/web connects_to deployment:shop/web',
      'replicaset:shop/web-2 writes persistentvolumeclaim:shop/c',
      'pod:shop/web-2-x writes persistentvolumeclaim:shop/c',
      'pod:shop/web-2-x deploys_to node:node-1',
    ])
    expect(found.nodes.map(({ name }) => name)).not.toContain('web-1')
  })

  it('whose owner was not seen stand for it', () => {
    const lines = edges(nodesAndEdges(objects.filter(({ kind }) => kind !== 'Deployment')))
    expect(lines).toContain('service:shop/web connects_to replicaset:shop/web-2')
    expect(lines).toContain('replicaset:shop/web-2 depends_on serviceaccount:shop/web')
    expect(lines).toContain('namespace:shop contains replicaset:shop/web-2')
  })

  it('of which there are too many are cut, pods before workloads, and said', () => {
    const pods = Array.from({ length: 6000 }, (_, index) => owned('Pod', `p${index}`, null, { spec: template.spec }))
    const found = nodesAndEdges([...pods, ...objects])
    expect([found.nodes.length, found.edges.length]).toEqual([5000, 20_000])
    expect(found.nodes.filter(({ type }) => type === 'k8s.deployment').length).toBe(1)
    expect(found.unseen.map(({ code }) => code)).toEqual(['too_large', 'too_large'])
    expectWellFormed({ externalId: null, ...found })
  })
})
