// A cluster is read over its API: everything that is there, nothing that is secret, page by page.
import { describe, expect, it } from 'vitest'
import { readKubernetes } from '../../src/areas/cloud_accounts/sources/kubernetes/reading.ts'
import { ownedBy, pod } from './cluster_objects.ts'
import { edgesIn, failureOf, unseenIn } from './graph_words.ts'
import { ca, caller, plurals } from './kubernetes_server.ts'
import { fetch, nodeOf, read, there, wait } from './reading_cluster.ts'

describe('a cluster', () => {
  it('tells of every kind of thing, and which cluster it is', async () => {
    const found = await read()
    expect([found.externalId, found.unseen, there.violations]).toEqual(['the-cluster', [], []])
    expect(new Set(there.asked.map(({ plural }) => plural))).toEqual(new Set(plurals))
    const kinds = new Set(found.nodes.map(({ type }) => type))
    expect([...kinds].sort()).toEqual(
      [
        ...[
          'configmap',
          'cronjob',
          'daemonset',
          'deployment',
          'horizontalpodautoscaler',
          'ingress',
          'job',
          'namespace',
        ],
        ...['networkpolicy', 'node', 'persistentvolume', 'persistentvolumeclaim', 'pod', 'replicaset', 'secret'],
        ...['service', 'serviceaccount', 'statefulset'],
      ].map(kind => `k8s.${kind}`),
    )
  })

  it('keeps harmless facts', async () => {
    const found = await read()
    expect(nodeOf(found, 'node', 'node-1').properties).toMatchObject({
      kubeletVersion: 'v1.33.1',
      zone: 'z1',
      cpu: '4',
      conditions: ['Ready'],
    })
    expect(nodeOf(found, 'service', 'shop/web').properties).toMatchObject({
      clusterIp: '10.0.0.7',
      serviceType: 'ClusterIP',
    })
    expect(nodeOf(found, 'persistentvolumeclaim', 'shop/files').properties).toMatchObject({
      phase: 'Bound',
      capacity: '10Gi',
    })
    expect(nodeOf(found, 'persistentvolume', 'pv-1').properties).toMatchObject({ storageClass: 'fast', phase: 'Bound' })
    expect(nodeOf(found, 'daemonset', 'shop/logs').properties).toMatchObject({ replicas: 2, ready: 2 })
    expect(nodeOf(found, 'job', 'shop/migrate').properties).toMatchObject({ conditions: ['Complete'] })
    expect(nodeOf(found, 'secret', 'shop/keys')).toMatchObject({ properties: { namespace: 'shop' }, tags: {} })
  })

  it('counts pods into what made them: they are things only where nobody did', async () => {
    const found = await read()
    expect(nodeOf(found, 'deployment', 'shop/web').properties).toMatchObject({
      replicas: 3,
      ready: 2,
      pods: 3,
      running: 2,
      restarts: 5,
      runningImages: ['envoyproxy/envoy:v1.30', 'ghcr.io/shop/web:1.2'],
    })
    expect(nodeOf(found, 'cronjob', 'shop/nightly').properties).toMatchObject({ pods: 1, running: 0 })
    const made = found.nodes.filter(({ type }) => ['k8s.pod', 'k8s.replicaset', 'k8s.job'].includes(type))
    expect(made.map(({ externalId }) => externalId).sort()).toEqual(['shop/alone', 'shop/by-hand', 'shop/migrate'])
  })

  it('tells how things hang together', async () => {
    const edges = edgesIn(await read())
    expect(edges).toEqual(
      expect.arrayContaining([
        'k8s.namespace shop contains k8s.deployment shop/web',
        'k8s.deployment shop/web deploys_to k8s.node node-1',
        'k8s.deployment shop/web deploys_to k8s.node node-2',
        'k8s.statefulset shop/db deploys_to k8s.node node-1',
        'k8s.daemonset shop/logs deploys_to k8s.node node-2',
        'k8s.cronjob shop/nightly deploys_to k8s.node node-1',
        'k8s.pod shop/by-hand deploys_to k8s.node node-1',
        'k8s.service shop/web connects_to k8s.deployment shop/web',
        'k8s.ingress shop/front connects_to k8s.service shop/web',
        'k8s.ingress shop/front reads k8s.secret shop/tls',
        'k8s.deployment shop/web reads k8s.secret shop/keys',
        'k8s.deployment shop/web reads k8s.configmap shop/settings',
        'k8s.deployment shop/web depends_on k8s.serviceaccount shop/runner',
        'k8s.deployment shop/web writes k8s.persistentvolumeclaim shop/files',
        'k8s.statefulset shop/db writes k8s.persistentvolumeclaim shop/data-db-0',
        'k8s.persistentvolumeclaim shop/files depends_on k8s.persistentvolume pv-1',
        'k8s.horizontalpodautoscaler shop/web depends_on k8s.deployment shop/web',
      ]),
    )
    expect(edges.filter(edge => /replicaset shop\/web|pod shop\/web|job shop\/nightly-1/.test(edge))).toEqual([])
  })

  it('is read by a client certificate as by a token', async () => {
    const found = await readKubernetes({ server: `${there.url}/`, ca, ...caller }, { fetch, wait })
    expect([found.externalId, found.unseen]).toEqual(['the-cluster', []])
  })

  it('is read in some of its namespaces only, with no right outside of them', async () => {
    const all = { verbs: ['list'], apiGroups: ['*'], resources: ['*'], namespace: 'shop' }
    there.rules = [all, { verbs: ['get'], apiGroups: [''], resources: ['namespaces'], resourceNames: ['kube-system'] }]
    const found = await read({ namespaces: ['shop'] })
    expect([found.externalId, found.unseen]).toEqual(['the-cluster', []])
    expect(there.asked.every(({ namespace }) => namespace === 'shop')).toBe(true)
    expect(edgesIn(found)).toContain('k8s.namespace shop contains k8s.deployment shop/web')
    there.rules = [all]
    expect((await read({ namespaces: ['shop'] })).externalId).toBe(null)
    for (const wrong of [[], ['../secrets'], ['Shop'], Array(51).fill('shop')]) {
      expect((await failureOf(read({ namespaces: wrong }))).code).toBe('malformed')
    }
  })

  it('is asked for no secrets where they are left out', async () => {
    const found = await read({ without: ['secrets'] })
    expect(found.nodes.some(({ type }) => type === 'k8s.secret')).toBe(false)
    expect([found.unseen, there.asked.some(({ plural }) => plural === 'secrets')]).toEqual([[], false])
  })
})

describe('pages', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, number) => pod(`p-${number}`, ownedBy('StatefulSet', 'db')))

  it('are read to the last', async () => {
    there.objects.pods = many(1201)
    there.objects.configmaps = Array.from({ length: 1001 }, (_, one) => ({
      metadata: { name: `c-${one}`, namespace: 'shop' },
    }))
    const found = await read()
    expect(nodeOf(found, 'statefulset', 'shop/db').properties.pods).toBe(1201)
    expect(found.nodes.filter(({ type }) => type === 'k8s.configmap')).toHaveLength(1001)
    const asked = there.asked.filter(({ plural }) => plural === 'pods')
    expect(asked.map(({ from, limit }) => [from !== null, limit])).toEqual([
      [false, 500],
      [true, 500],
      [true, 500],
    ])
  })

  it('begin again where the cluster has forgotten the place, and a few times only', async () => {
    there.objects.pods = many(1100)
    let times = 0
    there.fault = ({ plural, from }) =>
      plural === 'pods' && from !== null && times++ === 1 ? { status: 410 } : undefined
    const found = await read()
    expect([found.unseen, nodeOf(found, 'statefulset', 'shop/db').properties.pods]).toEqual([[], 1100])
    there.fault = ({ plural, from }) => (plural === 'pods' && from !== null ? { status: 410 } : undefined)
    there.asked.length = 0
    expect(unseenIn(await read())).toEqual(['k8s.pod failed'])
    expect(there.asked.filter(({ plural }) => plural === 'pods')).toHaveLength(8)
  })

  it('are shorter where one of the usual length is too much', async () => {
    there.objects.pods = many(120)
    const body = JSON.stringify({ kind: 'PodList', items: ['x'.repeat(17 * 1024 * 1024)] })
    there.fault = ({ plural, limit }) => (plural === 'pods' && limit === 500 ? { body } : undefined)
    const found = await read()
    expect([found.unseen, nodeOf(found, 'statefulset', 'shop/db').properties.pods]).toEqual([[], 120])
    there.fault = ({ plural }) => (plural === 'pods' ? { body } : undefined)
    expect(unseenIn(await read())).toEqual(['k8s.pod too_large'])
  })

  it('end where they would not end by themselves', async () => {
    const body = (plural: string) =>
      JSON.stringify({ kind: plural === 'nodes' ? 'NodeList' : '', metadata: { continue: 'more' }, items: [] })
    there.fault = ({ plural }) => (plural === 'nodes' ? { body: body(plural) } : undefined)
    const found = await read()
    expect(unseenIn(found)).toEqual(['k8s.node too_large'])
    expect(there.asked).toHaveLength(plurals.length + 200)
  })

  it('leave out what is more than a graph holds, and say so', async () => {
    there.objects.services = Array.from({ length: 6_000 }, (_, one) => ({
      metadata: { name: `s-${one}`, namespace: 'shop' },
    }))
    const found = await read()
    expect(found.nodes).toHaveLength(5_000)
    expect(found.unseen).toMatchObject([{ types: null, code: 'too_large' }])
  })
})
