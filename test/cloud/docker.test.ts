// A Docker engine is read over its API: what it runs and how that hangs together, and never more than reading takes.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readDocker } from '../../src/areas/cloud_accounts/sources/docker/reading.ts'
import { validateDocker } from '../../src/areas/cloud_accounts/sources/docker/validate.ts'
import { UnreadableSource } from '../../src/areas/cloud_accounts/sources/unreadable.ts'
import { outbound } from '../../src/server/work/outbound.ts'
import { ca, caller, dockerEngine, type Engine, planted } from './docker_server.ts'
import { expectWellFormed } from './found_lines.ts'
import { edgesIn, failureOf, unseenIn } from './graph_words.ts'

const folder = mkdtempSync(join(tmpdir(), 'atrium-docker-'))
const path = join(folder, 'docker.sock')
const fetch = outbound({ allow: ['127.0.0.1'], sockets: [path] })
const wait = async () => {}
let there: Engine
beforeEach(async () => {
  there = await dockerEngine({ path })
})
afterEach(() => there.close())
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function read(options: object = {}, access: object = {}) {
  const found = await readDocker({ address: there.address, ...access }, { fetch, wait, ...options })
  expectWellFormed(found)
  return found
}

describe('an engine', () => {
  it('tells of containers, networks, volumes, images and itself', async () => {
    const found = await read()
    expect([found.externalId, found.unseen]).toEqual(['3f7a-engine', []])
    const names = found.nodes.map(({ type, externalId, category }) => `${type} ${externalId} ${category}`)
    expect(names.sort()).toEqual([
      'docker.container shop-db-1 database',
      'docker.container shop-web-1 compute',
      'docker.engine 3f7a-engine compute',
      'docker.image sha256:db code',
      'docker.image sha256:web code',
      'docker.network net-shop network',
      'docker.volume shop_data storage',
      'docker.volume shop_files storage',
    ])
    expect(found.nodes.find(({ externalId }) => externalId === 'shop-web-1')).toMatchObject({
      properties: {
        image: 'ghcr.io/shop/web:1.2',
        state: 'running',
        ports: [{ port: 8080, publicPort: 80, publicAddress: '0.0.0.0', protocol: 'tcp' }],
        hostPaths: ['/var/run/docker.sock'],
        hasEngineSocket: true,
        project: 'shop',
        service: 'web',
      },
      tags: { 'com.docker.compose.project': 'shop', 'com.docker.compose.service': 'web' },
    })
  })

  it('tells how they hang together', async () => {
    expect(edgesIn(await read()).sort()).toEqual([
      'docker.container shop-db-1 connects_to docker.network net-shop',
      'docker.container shop-db-1 depends_on docker.image sha256:db',
      'docker.container shop-db-1 writes docker.volume shop_data',
      'docker.container shop-web-1 connects_to docker.network net-shop',
      'docker.container shop-web-1 depends_on docker.container shop-db-1',
      'docker.container shop-web-1 depends_on docker.image sha256:web',
      'docker.container shop-web-1 reads docker.volume shop_files',
      'docker.engine 3f7a-engine contains docker.container shop-db-1',
      'docker.engine 3f7a-engine contains docker.container shop-web-1',
      'docker.engine 3f7a-engine contains docker.image sha256:db',
      'docker.engine 3f7a-engine contains docker.image sha256:web',
      'docker.engine 3f7a-engine contains docker.network net-shop',
      'docker.engine 3f7a-engine contains docker.volume shop_data',
      'docker.engine 3f7a-engine contains docker.volume shop_files',
    ])
  })

  it.each([
    ['1.47', '1.24', '/v1.47'],
    ['1.41', '1.12', '/v1.41'],
    ['1.51', '1.44', '/v1.51'],
    ['1.90', '1.44', '/v1.51'],
    ['1.90', '1.60', '/v1.60'],
  ])('of version %s, from %s on, is spoken to in %s', async (ApiVersion, MinAPIVersion, prefix) => {
    there.api = { ApiVersion, MinAPIVersion }
    expect((await read()).unseen).toEqual([])
    expect(there.asked.slice(1).every(line => line.startsWith(`GET ${prefix}/`))).toBe(true)
  })

  it('is read over TCP and over TLS with certificates', async () => {
    for (const [where, access] of [
      ['tcp', {}],
      ['tls', { ca, ...caller }],
    ] as const) {
      const other = await dockerEngine(where)
      const found = await read({}, { address: other.address, ...access })
      expect([found.externalId, found.nodes.length]).toEqual(['3f7a-engine', 8])
      if (where === 'tls')
        expect(await failureOf(read({}, { address: other.address, ca }))).toMatchObject({ code: 'auth' })
      await other.close()
    }
  })

  it('leaves nothing secret behind', async () => {
    const told = [JSON.stringify(await read())]
    there.fault = path => (path === '/networks' ? { status: 500 } : undefined)
    told.push(JSON.stringify(await read()))
    there.fault = () => ({ status: 500, body: planted.join() })
    told.push(`${(await failureOf(read())).stack}`)
    for (const bytes of planted) for (const text of told) expect([bytes, text.includes(bytes)]).toEqual([bytes, false])
  })
})

describe('an engine that answers in part', () => {
  it('is told of without that part, and what that is', async () => {
    there.fault = path =>
      ({ '/networks': { status: 403 }, '/images/json': { body: '{' }, '/volumes': { body: '{"Volumes":7}' } })[path]
    const found = await read()
    expect(unseenIn(found)).toEqual(['docker.network forbidden', 'docker.volume malformed', 'docker.image malformed'])
    expect(found.nodes.filter(({ type }) => type === 'docker.container')).toHaveLength(2)
    there.fault = path => (path === '/containers/json' ? 'stall' : undefined)
    expect(unseenIn(await read({ timeoutMs: 300 }))).toEqual(['docker.container timeout'])
    there.fault = path => (path === '/images/json' ? { body: `["${'x'.repeat(17 * 1024 * 1024)}"]` } : undefined)
    expect(unseenIn(await read())).toEqual(['docker.image too_large'])
  })

  it('is not taken for another where it does not say who it is', async () => {
    there.fault = path => (path === '/info' ? { status: 403 } : undefined)
    const found = await read()
    expect([found.externalId, unseenIn(found)]).toEqual([null, ['docker.engine forbidden']])
    expect(found.nodes.some(({ type }) => type === 'docker.engine')).toBe(false)
  })

  it('may have no volumes, and hold what nobody should send', async () => {
    const odd = [
      null,
      7,
      'x',
      [],
      {},
      { Id: 7, Names: 'x' },
      { Names: ['/line\nend'] },
      { Names: [`/${'x'.repeat(999)}`] },
    ]
    const evil = JSON.parse(
      '{"Id":"e1","Names":["/evil"],"Labels":{"__proto__":"x"},"Mounts":7,"Ports":[null],"NetworkSettings":{"Networks":{"__proto__":{"NetworkID":"n"},"a":null}}}',
    )
    for (const path of ['/containers/json', '/networks', '/images/json']) there.answers[path] = [...odd, evil]
    there.answers['/volumes'] = { Volumes: null }
    const found = await read()
    expect([found.unseen, found.nodes.map(({ externalId }) => externalId).sort()]).toEqual([
      [],
      ['3f7a-engine', 'e1', 'e1', 'evil'],
    ])
    expect(({} as { NetworkID?: string }).NetworkID).toBe(undefined)
  })

  it('leaves out what is more than a graph holds, and says so', async () => {
    there.answers['/containers/json'] = Array.from({ length: 6_000 }, (_, one) => ({
      Id: `id${one}`,
      Names: [`/c-${one}`],
    }))
    const found = await read()
    expect([found.nodes.length, unseenIn(found)]).toEqual([5_000, [expect.stringContaining('too_large')]])
  })
})

describe('an engine that cannot be read', () => {
  it('fails as a whole, and says what to do', async () => {
    expect(await failureOf(read({}, { address: 'unix:///var/run/other.sock' }))).toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('DOCKER_SOCKETS'),
    })
    for (const address of [
      'unix://relative',
      'tcp://127.0.0.1:2375',
      'docker',
      'https://a/path',
      'https://user:pw@a',
      '',
    ]) {
      expect([address, (await failureOf(read({}, { address }))).code]).toEqual([address, 'malformed'])
    }
    expect(await failureOf(read({}, { address: 'http://127.0.0.1:1', ca }))).toMatchObject({ code: 'malformed' })
    expect(await failureOf(read({}, { address: 'http://127.0.0.1:1' }))).toMatchObject({ code: 'unreachable' })
    there.api = { ApiVersion: '1.10', MinAPIVersion: '1.1' }
    expect(await failureOf(read())).toMatchObject({ code: 'failed', message: expect.stringContaining('update it') })
    there.fault = () => ({ status: 401 })
    expect(await failureOf(read())).toMatchObject({ code: 'auth' })
    there.fault = () => ({ body: '{"ApiVersion":{"a":1}}' })
    const error = await failureOf(read())
    expect([error instanceof UnreadableSource, error.code]).toEqual([true, 'malformed'])
  })
})

describe('rights', () => {
  const validate = () => validateDocker({ address: there.address }, { fetch, wait })
  const readings = [
    'GET /version',
    'GET /info',
    'GET /containers/json',
    'GET /networks',
    'GET /volumes',
    'GET /images/json',
  ]

  it('on the socket of an engine itself are those of root', async () => {
    const { present, missing, tooMany, policy } = await validate()
    expect([present, missing]).toEqual([readings, []])
    expect(tooMany).toHaveLength(3)
    expect(tooMany[0]).toContain('root')
    expect(policy).toContain('docker run')
    // Nothing was asked that an engine would do: the only container that was named cannot be.
    const writes = there.asked.filter(line => !line.startsWith('GET'))
    expect(writes).toEqual(['POST /v1.47/containers/-/start', 'POST /v1.47/exec/-/start'])
  })

  it('behind the proxy of the policy are exactly those that reading takes', async () => {
    const { policy } = await validate()
    const pattern = /-allowGET=([^']+)'/.exec(policy)?.[1]
    there.passed = new RegExp(`^GET ${pattern}(\\?.*)?$`)
    expect(await validate()).toMatchObject({ present: readings, missing: [], tooMany: [] })
    expect((await read()).unseen).toEqual([])
  })

  it('that a proxy keeps back are missing', async () => {
    there.passed = /^GET .*(version|info|containers)/
    const { missing, tooMany } = await validate()
    expect(missing).toEqual(['GET /networks', 'GET /volumes', 'GET /images/json'])
    expect(tooMany).toHaveLength(1)
  })
})
