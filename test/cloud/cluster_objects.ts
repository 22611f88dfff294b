// A small shop in a cluster: one of each kind of object, with secrets in every place where people leave them.

/** Bytes that are in what the cluster holds, and must be in nothing that is told of it. */
export const planted = [
  'hunter2-in-env',
  'hunter2-in-args',
  'hunter2-in-annotation',
  'hunter2-in-configmap',
  'aHVudGVyMi1pbi1zZWNyZXQ=',
  'hunter2-in-label',
  'hunter2-in-managed-fields',
]

const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{"data":{"p":"hunter2-in-annotation"}}' }
const managedFields = [{ manager: 'kubectl', fieldsV1: { 'f:data': { 'hunter2-in-managed-fields': {} } } }]

function meta(name: string, more: object = {}) {
  const labels = { app: name, 'db-password': 'hunter2-in-label' }
  return { name, namespace: 'shop', uid: `uid-${name}`, labels, annotations, managedFields, ...more }
}

function ofCluster(name: string, more: object = {}) {
  const { namespace: _, ...rest } = meta(name, more)
  return rest
}

export function ownedBy(kind: string, name: string, apiVersion = 'apps/v1') {
  return { ownerReferences: [{ apiVersion, kind, name, uid: `uid-${name}`, controller: true }] }
}

const container = {
  name: 'main',
  image: 'ghcr.io/shop/web:1.2',
  args: ['--password=hunter2-in-args'],
  ports: [{ containerPort: 8080 }],
  env: [
    { name: 'PASSWORD', value: 'hunter2-in-env' },
    { name: 'KEY', valueFrom: { secretKeyRef: { name: 'keys', key: 'a' } } },
  ],
  envFrom: [{ configMapRef: { name: 'settings' } }],
}

function template(app: string, spec: object = {}) {
  return { metadata: { labels: { app } }, spec: { containers: [container], serviceAccountName: 'runner', ...spec } }
}

export function pod(name: string, owner: object, { node = 'node-1', restarts = 0, phase = 'Running' } = {}) {
  return {
    metadata: meta(name, owner),
    spec: { nodeName: node, containers: [container, { name: 'proxy', image: 'envoyproxy/envoy:v1.30' }] },
    status: { phase, containerStatuses: [{ restartCount: restarts }, { restartCount: 1 }] },
  }
}

const claims = [{ name: 'files', persistentVolumeClaim: { claimName: 'files' } }]

export function shop() {
  return {
    namespaces: [
      { metadata: ofCluster('kube-system', { uid: 'the-cluster' }), status: { phase: 'Active' } },
      { metadata: ofCluster('shop'), status: { phase: 'Active' } },
    ],
    nodes: ['node-1', 'node-2'].map(name => ({
      metadata: ofCluster(name, { labels: { 'topology.kubernetes.io/zone': 'z1' } }),
      spec: { providerID: `kind://${name}` },
      status: {
        nodeInfo: { kubeletVersion: 'v1.33.1', osImage: 'Debian', architecture: 'amd64' },
        capacity: { cpu: '4', memory: '8Gi' },
        conditions: [
          { type: 'Ready', status: 'True' },
          { type: 'MemoryPressure', status: 'False' },
        ],
        images: [{ names: ['x'.repeat(1000)] }],
      },
    })),
    deployments: [
      {
        metadata: meta('web'),
        spec: { replicas: 3, strategy: { type: 'RollingUpdate' }, template: template('web', { volumes: claims }) },
        status: { readyReplicas: 2 },
      },
    ],
    replicasets: [
      { metadata: meta('web-old', ownedBy('Deployment', 'web')), spec: { replicas: 0, template: template('web') } },
      { metadata: meta('web-new', ownedBy('Deployment', 'web')), spec: { replicas: 3, template: template('web') } },
      { metadata: meta('alone'), spec: { replicas: 1, template: template('alone') }, status: { readyReplicas: 1 } },
    ],
    statefulsets: [
      {
        metadata: meta('db'),
        spec: { replicas: 1, template: template('db'), volumeClaimTemplates: [{ metadata: { name: 'data' } }] },
        status: { readyReplicas: 1 },
      },
    ],
    daemonsets: [
      {
        metadata: meta('logs'),
        spec: { template: template('logs') },
        status: { desiredNumberScheduled: 2, numberReady: 2 },
      },
    ],
    jobs: [
      {
        metadata: meta('migrate'),
        spec: { completions: 1, template: template('migrate') },
        status: { conditions: [{ type: 'Complete', status: 'True' }] },
      },
      {
        metadata: meta('nightly-1', ownedBy('CronJob', 'nightly', 'batch/v1')),
        spec: { template: template('nightly') },
      },
    ],
    cronjobs: [
      {
        metadata: meta('nightly'),
        spec: { schedule: '0 3 * * *', jobTemplate: { spec: { template: template('nightly') } } },
      },
    ],
    pods: [
      pod('web-new-1', ownedBy('ReplicaSet', 'web-new'), { restarts: 2 }),
      pod('web-new-2', ownedBy('ReplicaSet', 'web-new'), { node: 'node-2' }),
      pod('web-new-3', ownedBy('ReplicaSet', 'web-new'), { phase: 'Pending' }),
      pod('db-0', ownedBy('StatefulSet', 'db')),
      pod('logs-1', ownedBy('DaemonSet', 'logs')),
      pod('logs-2', ownedBy('DaemonSet', 'logs'), { node: 'node-2' }),
      pod('nightly-1-a', ownedBy('Job', 'nightly-1', 'batch/v1'), { phase: 'Succeeded' }),
      pod('by-hand', {}),
    ],
    services: [
      {
        metadata: meta('web'),
        spec: {
          type: 'ClusterIP',
          clusterIP: '10.0.0.7',
          selector: { app: 'web' },
          ports: [{ port: 80, targetPort: 8080 }],
        },
      },
    ],
    ingresses: [
      {
        metadata: meta('front'),
        spec: {
          ingressClassName: 'nginx',
          tls: [{ secretName: 'tls' }],
          rules: [{ host: 'shop.example.com', http: { paths: [{ backend: { service: { name: 'web' } } }] } }],
        },
      },
    ],
    persistentvolumes: [
      {
        metadata: ofCluster('pv-1'),
        spec: { capacity: { storage: '10Gi' }, storageClassName: 'fast', accessModes: ['ReadWriteOnce'] },
        status: { phase: 'Bound' },
      },
    ],
    persistentvolumeclaims: [
      {
        metadata: meta('files'),
        spec: { volumeName: 'pv-1', storageClassName: 'fast', resources: { requests: { storage: '10Gi' } } },
        status: { phase: 'Bound', capacity: { storage: '10Gi' } },
      },
      { metadata: meta('data-db-0'), spec: {}, status: { phase: 'Pending' } },
    ],
    configmaps: [{ metadata: meta('settings'), data: { a: 'hunter2-in-configmap' } }],
    secrets: [
      { metadata: meta('keys'), data: { a: 'aHVudGVyMi1pbi1zZWNyZXQ=' } },
      { metadata: meta('tls'), data: { a: 'aHVudGVyMi1pbi1zZWNyZXQ=' } },
    ],
    serviceaccounts: [{ metadata: meta('runner'), secrets: [{ name: 'keys' }] }],
    horizontalpodautoscalers: [
      {
        metadata: meta('web'),
        spec: {
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
          minReplicas: 2,
          maxReplicas: 9,
        },
      },
    ],
    networkpolicies: [{ metadata: meta('closed'), spec: { podSelector: {}, policyTypes: ['Ingress'] } }],
  }
}
