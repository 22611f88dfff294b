// Manifests that are templates, broken, hostile, or none at all.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { nodesAndEdges } from '../../src/areas/cloud_accounts/sources/kubernetes/objects.ts'
import { readManifestFiles, readManifests } from '../../src/areas/cloud_accounts/sources/manifests.ts'
import { UnreadableSource } from '../../src/areas/cloud_accounts/sources/unreadable.ts'
import { expectWellFormed, nodeLines } from './found_lines.ts'
import { randomOf, spoiled, spoiledText } from './mutations.ts'

const path = 'k8s/shop.yaml'

const shop = readFileSync(join(import.meta.dirname, 'manifests/shop.yaml'), 'utf8')

describe('a template', () => {
  const pod = 'apiVersion: v1\nkind: Pod\nmetadata: {name: plain}\n'
  it.each([
    'apiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ .Release.Name }}-web\n',
    'apiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ .Values.name }}\n',
    'apiVersion: v1\nkind: Pod\nmetadata:\n  name: "{{ .Values.name }}"\n',
    'apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n  labels:\n    {{- include "web.labels" . | nindent 4 }}\n',
    '{{- if .Values.on }}\napiVersion: v1\nkind: Pod\nmetadata: {name: web}\n{{- end }}\n',
    'apiVersion: v1\nkind: {{ .Values.kind }}\nmetadata: {name: web}\n',
  ])('is left out and said: %j', async template => {
    const found = await readManifests(`${pod}---\n${template}`, { path: 'templates/web.yaml' })
    expect(nodeLines(found)).toEqual(['default/plain is compute "plain"'])
    expect(found.unseen).toMatchObject([
      { code: 'malformed', types: null, text: expect.stringMatching(/Helm template \(document 2\).*helm template/) },
    ])
  })

  it('of something else, inside a config, is none', async () => {
    const text =
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: alerts}\ndata:\n  a: |\n    {{ define "x" }}{{ end }}\n'
    expect(await readManifests(text, { path })).toMatchObject({ nodes: [{ externalId: 'default/alerts' }], unseen: [] })
  })
})

describe('what holds no objects', () => {
  const grow = Array.from(
    { length: 9 },
    (_, index) => `a${index + 1}: &a${index + 1} [${`*a${index},`.repeat(9)}]`,
  ).join('\n')
  const cases: [string, string][] = [
    ['nothing', ''],
    ['another file', 'image: web'],
    ['a kind that is not read', 'apiVersion: x/v1\nkind: Unheard\nmetadata: {name: a}'],
    ['an object without a name of its kind', 'kind: 7'],
    ['JSON of another form', '[1, 2, {"kind": null}]'],
  ]
  it.each(cases)('%s is refused', async (_, text) => {
    await expect(readManifests(text, { path })).rejects.toThrow(UnreadableSource)
  })

  it.each([
    ['no YAML', 'kind: Pod\nmetadata: {name: ['],
    ['very deep nesting', `kind: Pod\nmetadata: ${'['.repeat(20_000)}`],
    ['an alias of itself', 'kind: Pod\nmetadata: &a {name: a, labels: *a}'],
    [
      'aliases that grow',
      `kind: Pod\na0: &a0 [x,x,x,x,x,x,x,x,x]\n${grow}\nmetadata: {name: a, labels: *a9}`,
      'too_large',
    ],
    ['one document of very many parts', `kind: Pod\nmetadata: {name: a}\nlist: [${'a,'.repeat(10_000)}]`, 'too_large'],
  ])('%s is said', async (_, text, code = 'malformed') => {
    expect(await readManifests(text, { path })).toMatchObject({ nodes: [], unseen: [{ code }] })
  })

  it('is bounded: documents, and what is read of them', async () => {
    const many = 'kind: Pod\nmetadata: {name: a}\n---\n'.repeat(2100)
    expect((await readManifests(many, { path })).unseen).toMatchObject([{ code: 'too_large' }])
    const large = `kind: Pod\nmetadata: {name: a}\n---\nkind: ConfigMap\nmetadata: {name: b}\ndata:\n  a: |\n    ${'x'.repeat(1024 * 1024)}\n`
    expect(await readManifests(large, { path })).toMatchObject({
      nodes: [{ name: 'a' }],
      unseen: [{ code: 'too_large' }],
    })
  })

  it('passes over definitions of kinds, however large', async () => {
    const definition = `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nx: "${'x'.repeat(2 * 1024 * 1024)}"\n`
    const found = await readManifests(`${definition}---\nkind: Pod\nmetadata: {name: a}\n`, { path })
    expect(found).toMatchObject({ nodes: [{ name: 'a' }], unseen: [] })
  })
})

describe('a spoiled manifest', () => {
  const fragments = [
    '__proto__: ',
    '*a',
    '&a ',
    '[',
    '{{ x }}',
    '\u0000',
    '- ',
    ': ',
    '!!binary ',
    '\n---\n',
    'kind: List',
    '? ',
  ]
  const whole = async () => {
    const texts: string[] = []
    for (const text of shop.split('\n---\n')) {
      const { nodes } = await readManifestFiles([{ path, text }])
      if (nodes.length > 0) texts.push(text)
    }
    return texts
  }

  it.each([1, 2, 3])('is read or refused, and never anything else (seed %i)', async seed => {
    const random = randomOf(seed)
    const objects = await whole()
    for (let round = 0; round < 60; round++) {
      const some = objects.filter(() => random() < 0.3).join('\n---\n')
      try {
        expectWellFormed(await readManifests(spoiledText(random, some || shop, fragments), { path }))
      } catch (error) {
        if (!(error instanceof UnreadableSource)) throw error
      }
    }
  })

  it.each([4, 5])('of objects, as an API may give them, too (seed %i)', seed => {
    const random = randomOf(seed)
    const spec = {
      selector: { app: 'a' },
      scaleTargetRef: { kind: 'Deployment', name: 'd' },
      volumeName: 'v',
      tls: [{ secretName: 's' }],
      rules: [{ http: { paths: [{ backend: { service: { name: 'x' } } }] } }],
    }
    const pod = {
      containers: [
        { image: 'i', ports: [{ containerPort: 1 }], env: [{ valueFrom: { secretKeyRef: { name: 's' } } }] },
      ],
      volumes: [{ configMap: { name: 'c' } }],
    }
    const all = [
      'Namespace',
      'Node',
      'Deployment',
      'StatefulSet',
      'CronJob',
      'Service',
      'Ingress',
      'PersistentVolumeClaim',
      'PersistentVolume',
      'HorizontalPodAutoscaler',
      'NetworkPolicy',
      'ServiceAccount',
      'ConfigMap',
      'Secret',
      'Job',
      'ReplicaSet',
      'Pod',
    ]
    const whole = all.map(kind => ({
      kind,
      metadata: {
        name: kind.toLowerCase(),
        namespace: 'n',
        labels: { app: 'a' },
        ownerReferences: [{ kind: 'ReplicaSet', name: 'r' }],
      },
      spec: {
        ...spec,
        ...pod,
        template: { metadata: { labels: { app: 'a' } }, spec: pod },
        volumeClaimTemplates: [{ metadata: { name: 'd' } }],
      },
    }))
    for (let round = 0; round < 150; round++) {
      const given = spoiled(random, whole) as Parameters<typeof nodesAndEdges>[0]
      expectWellFormed({ externalId: null, ...nodesAndEdges(given) })
    }
  })
})
