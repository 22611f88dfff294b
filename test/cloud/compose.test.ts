// Compose files: every part and edge, no value of an environment, and nothing that a hostile file could do.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readCompose } from '../../src/areas/cloud_accounts/sources/compose.ts'
import { categoryOfImage } from '../../src/areas/cloud_accounts/sources/images.ts'
import { UnreadableSource } from '../../src/areas/cloud_accounts/sources/unreadable.ts'
import { expectWellFormed, nodeLines, typedEdgeLines } from './found_lines.ts'
import { randomOf, spoiledText } from './mutations.ts'

const shop = readFileSync(join(import.meta.dirname, 'manifests/compose.yaml'), 'utf8')

const path = 'deploy/compose.yaml'

describe('a compose file', () => {
  it('gives every service, network, volume, config and secret', () => {
    const found = readCompose(shop, { path })
    expect(found.externalId).toBe('shop')
    expect(found.unseen).toEqual([])
    expect(nodeLines(found)).toEqual([
      'shop/web is compute "web"',
      'shop/db is database "db"',
      'shop/queue is messaging "queue"',
      'shop/cache is database "cache"',
      'shop/proxy is network "proxy"',
      'shop/metrics is observability "metrics"',
      'shop/front is network "front"',
      'shop/back is network "back"',
      'shop/data is storage "data"',
      'shop/files is storage "files"',
      'shop/shared is storage "shared"',
      'shop/settings is config "settings"',
      'shop/routes is config "routes"',
      'shop/db_password is security "db_password"',
      'shop/api_token is security "api_token"',
    ])
    expectWellFormed(found)
  })

  it('gives every edge', () => {
    const lines = typedEdgeLines(readCompose(shop, { path })).map(line =>
      line.replaceAll(/compose\.(\w+):shop\//g, '$1:'),
    )
    expect(lines).toEqual([
      'service:web depends_on service:db',
      'service:web depends_on service:queue',
      'service:web connects_to service:cache',
      'service:web connects_to network:front',
      'service:web connects_to network:back',
      'service:web writes volume:files',
      'service:web reads volume:shared',
      'service:web reads config:settings',
      'service:web reads config:routes',
      'service:web reads secret:db_password',
      'service:web reads secret:api_token',
      'service:db connects_to network:back',
      'service:db writes volume:data',
      'service:db reads volume:shared',
      'service:queue depends_on service:db',
      'service:proxy connects_to service:web',
      'service:proxy depends_on service:web',
    ])
  })

  it('keeps what describes a service, and of its environment only names', () => {
    const { nodes } = readCompose(shop, { path })
    expect(nodes[0]?.properties).toEqual({
      image: 'registry.example.com:5000/acme/web:1.2',
      isBuilt: true,
      containerName: 'shop-web',
      replicas: 3,
      restart: 'unless-stopped',
      profiles: ['full'],
      ports: ['8080:80', '127.0.0.1:9000-9001:9000-9001/tcp', '8443:443', '3000'],
      variables: ['DATABASE_URL', 'EMPTY', 'LOG_LEVEL'],
    })
    expect(nodes[0]?.tags).toEqual({ team: 'core' })
    expect(nodes[1]?.properties.variables).toEqual(['POSTGRES_PASSWORD', 'POSTGRES_DB', 'PGDATA'])
    expect(nodes[2]?.tags).toEqual({ team: 'core' })
    expect(nodes.find(({ name }) => name === 'back')?.properties).toEqual({ isExternal: true })
    expect(nodes.find(({ name }) => name === 'api_token')).toMatchObject({ properties: {}, tags: {} })
  })

  it('keeps its secrets', () => {
    expect(new Set(shop.match(/hunter2-?\w*/g)).size).toBeGreaterThan(14)
    expect(JSON.stringify(readCompose(shop, { path }))).not.toMatch(/hunter2/i)
  })

  it('without a name is called by its folder, whichever file of it is read', () => {
    const text = 'services: { web: { image: a } }'
    const called = (where: string) => readCompose(text, { path: where }).nodes[0]?.externalId
    expect(called('deploy/prod/compose.yaml')).toBe('deploy/prod/web')
    expect(called('deploy/prod/compose.override.yaml')).toBe('deploy/prod/web')
    expect(called('docker-compose.yml')).toBe('web')
    expect(called('./docker-compose.yml')).toBe('web')
  })

  it('that includes others says that they are not seen', () => {
    const found = readCompose('include: [other.yaml]\nservices: { web: { image: a } }', { path })
    expect(found.unseen).toMatchObject([
      { code: 'failed', text: expect.stringContaining('includes other compose files') },
    ])
  })

  it('may name what another file of the project describes', () => {
    const found = readCompose('services: { web: { depends_on: [db] } }', { path: 'compose.override.yaml' })
    expect(typedEdgeLines(found)).toEqual(['compose.service:web depends_on compose.service:db'])
  })
})

describe('an image', () => {
  it.each([
    ['postgres', 'database'],
    ['postgis/postgis:16', 'database'],
    ['bitnami/postgresql:16', 'database'],
    ['valkey/valkey', 'database'],
    ['prometheuscommunity/postgres-exporter', 'observability'],
    ['grafana/grafana:11', 'observability'],
    ['otel/opentelemetry-collector-contrib', 'observability'],
    ['mongo-express', 'compute'],
    ['dpage/pgadmin4', 'compute'],
    ['confluentinc/cp-kafka', 'messaging'],
    ['nats:2', 'messaging'],
    ['nginx:alpine', 'network'],
    ['minio/minio', 'storage'],
    ['quay.io/keycloak/keycloak', 'identity'],
    ['hashicorp/vault', 'security'],
    ['acme/nginxish', 'compute'],
    ['acme/web', 'compute'],
  ])('%s is %s', (image, category) => {
    expect(categoryOfImage(image)).toBe(category)
  })
})

describe('what is no compose file', () => {
  const nested = Array.from(
    { length: 12 },
    (_, index) => `a${index}: &a${index} [${'*a0,'.replace('0', String(index - 1)).repeat(9)}]`,
  )
  const bomb = `${nested.join('\n').replace(/^.*\n/, 'a0: &a0 [x,x,x,x,x,x,x,x,x]\n')}\nservices: *a11`
  const cases: [string, string, string][] = [
    ['nothing', '', 'malformed'],
    ['a list', '- a', 'malformed'],
    ['another file', 'name: x\non: push', 'malformed'],
    ['services of another form', 'services: [web]', 'malformed'],
    ['the form of version 1', 'web:\n  image: a\ndb:\n  image: b', 'malformed'],
    ['two documents', 'services: {a: {}}\n---\nservices: {b: {}}', 'malformed'],
    ['no YAML', 'services: {a: [', 'malformed'],
    ['an alias of nothing', 'services: *hunter2', 'malformed'],
    ['aliases that grow', bomb, 'too_large'],
    ['very deep nesting', `services: ${'['.repeat(20_000)}`, 'malformed'],
    ['very many parts', `x: &a 1\ny: [${'*a,'.repeat(10_000)}]\nservices: {}`, 'too_large'],
    ['a very large file', `services: {}\n#${' '.repeat(300 * 1024)}`, 'too_large'],
  ]
  it.each(cases)('%s is refused', (_, text, code) => {
    const refused = () => readCompose(text, { path })
    expect(refused).toThrow(UnreadableSource)
    expect(refused).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(/^deploy\/compose\.yaml /) }),
    )
    expect(refused).not.toThrow(/hunter2/)
  })

  it('names of the language are names like others', () => {
    const text =
      'services: { constructor: { image: a, labels: { __proto__: x, toString: y } }, __proto__: { image: b } }'
    const found = readCompose(text, { path: 'compose.yaml' })
    expect(found.nodes.map(({ name, tags }) => [name, Object.entries(tags)])).toEqual([
      ['constructor', [['toString', 'y']]],
    ])
    expectWellFormed(found)
  })
})

describe('a spoiled compose file', () => {
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
    '<<: *common',
    '\n---\n',
    '!!js/function ',
    '? ',
  ]
  it.each([1, 2, 3])('is read or refused, and never anything else (seed %i)', seed => {
    const random = randomOf(seed)
    for (let round = 0; round < 100; round++) {
      try {
        expectWellFormed(readCompose(spoiledText(random, shop, fragments), { path }))
      } catch (error) {
        if (!(error instanceof UnreadableSource)) throw error
      }
    }
  })
})
