// Syncs of every provider against stand-ins of it: what arrives, what a partial failure leaves, and what is too much.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { nodesOf, placesOf, settled, synced } from '../../../test/cloud/accounts.ts'
import { awsServer, operator, roleArn } from '../../../test/cloud/aws_server.ts'
import { planted as plantedInCluster, shop } from '../../../test/cloud/cluster_objects.ts'
import { dockerEngine, planted as plantedInEngine } from '../../../test/cloud/docker_server.ts'
import { ca, cluster, token } from '../../../test/cloud/kubernetes_server.ts'
import { platform, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'
import { commit, mirrored, newRepository, repositoriesIn, write } from '../../../test/helpers/repositories.ts'
import { sql } from '../../kit/sql.ts'
import { insertSync } from './syncs/store.ts'

let p: TestPlatform
let owner: TestCaller
let workspaceId: string
let socket: string
let count = 0
const log: string[] = []

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-engine-'))
  socket = join(folder, 'docker.sock')
  p = await platform({ env: { DOCKER_SOCKETS: socket }, logTo: line => void log.push(line) })
  owner = await p.user()
  workspaceId = owner.workspaceId
  return () => rmSync(folder, { recursive: true, force: true })
})
afterAll(() => p.close())

type Fields = Record<string, unknown>

async function added(fields: Fields): Promise<string> {
  const given = { workspaceId, name: `Account ${count++}`, syncIntervalMinutes: null, ...fields }
  const { status, result, error } = await p.call('cloud_accounts.post', given, owner)
  expect([status, error]).toEqual([201, null])
  return result.id
}

const validate = (id: string) => p.call('cloud_accounts.validate', { workspaceId, id }, owner)
const edges = async (fromId: string) =>
  (await p.call('cloud_infra.edges.list', { workspaceId, fromId, perPage: 100 }, owner)).result.items
const byName = (nodes: Fields[], name: string) => nodes.find(node => node.name === name) as { id: string } & Fields

/** In no row, no line of the log and no answer. */
async function expectNowhere(bytes: readonly string[], answers: readonly unknown[]): Promise<void> {
  expect(await placesOf(p, bytes)).toEqual([])
  const told = [...log, JSON.stringify(answers)].join('\n')
  expect(bytes.filter(one => told.includes(one))).toEqual([])
}

describe('kubernetes', () => {
  it('reads a cluster, says what it may not see, and leaves that as it was', async () => {
    const there = await cluster(shop())
    onTestFinished(() => there.close())
    const id = await added({ provider: 'kubernetes', config: { server: there.url, ca }, credentials: { token } })
    const first = await settled(p, owner, id)
    expect(first).toMatchObject({ status: 'connected', externalId: 'the-cluster', lastError: null })
    const nodes = await nodesOf(p, owner, id)
    expect(nodes.length).toBe(first.nodeCount)
    expect(byName(nodes, 'web')).toMatchObject({ provider: 'kubernetes', source: 'sync', status: 'active' })
    there.fault = ({ plural }) => (plural === 'deployments' ? { status: 403 } : undefined)
    there.objects = { ...there.objects, services: [] }
    const second = await synced(p, owner, id)
    expect(second).toMatchObject({ status: 'degraded', lastError: { code: 'forbidden' } })
    const left = await nodesOf(p, owner, id)
    expect(left.filter(({ type }) => type.endsWith('deployment')).length).toBeGreaterThan(0)
    expect(left.filter(({ type }) => type.endsWith('.service'))).toEqual([])
    const { result } = await p.call('cloud_accounts.syncs.list', { workspaceId, id }, owner)
    expect(result.items[0]).toMatchObject({ status: 'partial', errors: [{ code: 'forbidden' }] })
    expect((await validate(id)).result).toMatchObject({ status: 'degraded', lastError: second.lastError })
    there.fault = () => ({ status: 401 })
    const third = await synced(p, owner, id)
    expect(third).toMatchObject({ status: 'error', lastError: { code: 'auth' }, nodeCount: second.nodeCount })
    expect(await nodesOf(p, owner, id)).toHaveLength(left.length)
    await expectNowhere([token, ...plantedInCluster], [first, nodes, result, third])
    await p.call('cloud_accounts.del', { workspaceId, id }, owner)
  })

  it('lists the rights that are there, missing and too many', async () => {
    const there = await cluster(shop())
    onTestFinished(() => there.close())
    there.rules = [{ verbs: ['list', 'delete'], apiGroups: ['apps'], resources: ['deployments'] }]
    const config = { server: there.url, ca }
    const id = await added({ provider: 'kubernetes', externalId: 'other', config, credentials: { token } })
    const { status, result } = await validate(id)
    expect(status).toBe(200)
    expect(result.rights.present).toEqual(['list deployments.apps'])
    expect(result.rights.missing).toContain('list pods')
    expect(result.rights.tooMany.join()).toContain('delete deployments.apps')
    expect(result.policy).toContain('verbs: [list]')
    const { result: shown } = await p.call('cloud_accounts.get', { workspaceId, id }, owner)
    expect(shown.rights).toEqual(result.rights)
  })

  it('asks for secrets only where the account says so, and then the manifest has the right for it', async () => {
    const there = await cluster(shop())
    onTestFinished(() => there.close())
    const config = { server: there.url, ca }
    const id = await added({ provider: 'kubernetes', config, credentials: { token } })
    const kinds = async () => new Set((await nodesOf(p, owner, id)).map(({ type }) => type))
    const policy = async () =>
      (await p.call('cloud_accounts.setup', { workspaceId, id }, owner)).result.documents[0].text
    const isAsked = () => there.asked.some(({ plural }) => plural === 'secrets')
    await settled(p, owner, id)
    expect([isAsked(), (await kinds()).has('k8s.secret'), (await policy()).includes('secrets')]).toEqual(
      Array(3).fill(false),
    )
    const { rights } = (await validate(id)).result
    expect(rights.present.concat(rights.missing)).not.toContain('list secrets')
    const include = { ...config, include: ['secrets'] }
    expect((await p.call('cloud_accounts.patch', { workspaceId, id, config: include }, owner)).status).toBe(200)
    await settled(p, owner, id)
    expect([isAsked(), (await kinds()).has('k8s.secret'), (await policy()).includes('secrets')]).toEqual(
      Array(3).fill(true),
    )
    const { rights: more } = (await validate(id)).result
    expect(more.present.concat(more.missing)).toContain('list secrets')
  })

  it('refuses another cluster than the one that the account is of', async () => {
    const there = await cluster(shop())
    onTestFinished(() => there.close())
    const config = { server: there.url, ca }
    const id = await added({ provider: 'kubernetes', externalId: 'mine', config, credentials: { token } })
    const { status, lastError } = await settled(p, owner, id)
    expect([status, lastError.code]).toEqual(['error', 'failed'])
    expect(lastError.text).toContain('the-cluster')
    expect(await nodesOf(p, owner, id)).toEqual([])
  })
})

describe('docker', () => {
  it('reads an engine over a socket that the operator allows, and checks what may be done there', async () => {
    const engine = await dockerEngine({ path: socket })
    onTestFinished(() => engine.close())
    const id = await added({ provider: 'docker', config: { address: engine.address } })
    const account = await settled(p, owner, id)
    expect(account).toMatchObject({ status: 'connected', externalId: '3f7a-engine' })
    expect(account.nodeCount).toBeGreaterThan(3)
    const { result } = await validate(id)
    expect(result.rights.missing).toEqual([])
    expect(result.rights.tooMany.length).toBeGreaterThan(0)
    engine.fault = () => ({ status: 500 })
    expect(await synced(p, owner, id)).toMatchObject({ status: 'error', nodeCount: account.nodeCount })
    expect((await validate(id)).result).toMatchObject({ status: 'error', rights: result.rights })
    await expectNowhere(plantedInEngine, [await nodesOf(p, owner, id)])
  })
})

describe('aws', () => {
  it('takes the role on with the external id of the account, and leaves what a region hides', async () => {
    const aws = await awsServer(100)
    aws.now = p.now
    const config = { roleArn, endpoint: aws.url }
    const regions = ['eu-west-1', 'us-east-1']
    const id = await added({ provider: 'aws', config, regions })
    const { result } = await p.call('cloud_accounts.get', { workspaceId, id }, owner)
    aws.externalId = result.trustExternalId
    await p.call('cloud_accounts.patch', { workspaceId, id, credentials: operator }, owner)
    const account = await settled(p, owner, id)
    expect(account).toMatchObject({ status: 'connected', externalId: '111122223333' })
    const nodes = await nodesOf(p, owner, id)
    expect(new Set(nodes.map(({ region }) => region))).toEqual(new Set(['', ...regions]))
    const inIreland = nodes.filter(({ region }) => region === 'eu-west-1').length
    aws.disabled.add('eu-west-1')
    const second = await synced(p, owner, id)
    expect(second.status).toBe('degraded')
    const left = await nodesOf(p, owner, id)
    expect(left.filter(({ region }) => region === 'eu-west-1')).toHaveLength(inIreland)
    const { result: checked } = await validate(id)
    expect(checked.rights.present).toContain('ec2:DescribeInstances')
    expect(JSON.parse(checked.policy).Statement.length).toBeGreaterThan(0)
    await expectNowhere([operator.secretAccessKey], [account, nodes, checked])
  })

  it('says what to do where the role does not trust it', async () => {
    const aws = await awsServer(100)
    aws.now = p.now
    const config = { roleArn: roleArn.replace('111122223333', '444455556666'), endpoint: aws.url }
    const id = await added({ provider: 'aws', config, credentials: operator })
    const account = await settled(p, owner, id)
    expect(account).toMatchObject({ status: 'error', nodeCount: 0 })
    expect(account.lastError.text).toContain('external id')
  })
})

const deployment = (name: string) => `apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name}, namespace: shop, labels: { app: ${name} } }
spec:
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec: { containers: [{ name: ${name}, image: "shop/${name}:1" }] }
`
const service = (name: string) => `apiVersion: v1
kind: Service
metadata: { name: ${name}, namespace: shop }
spec: { selector: { app: ${name} }, ports: [{ port: 80 }] }
`

async function repository(files: Record<string, string>): Promise<{ id: string; path: string }> {
  const name = `cloud-${process.pid}-${count++}`
  const path = newRepository(join(repositoriesIn(), name))
  write(path, files)
  commit(path, 'Begin')
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return { id: await mirrored(p, owner, name), path }
}

describe('manifests', () => {
  it('reads the compose files and manifests of a folder, and tells of each thing where it stands', async () => {
    const { id: repositoryId } = await repository({
      'deploy/web.yaml': deployment('web'),
      'deploy/web-service.yml': service('web'),
      'deploy/compose.yaml':
        'services:\n  api:\n    image: api:1\n    depends_on: [db]\n  db:\n    image: postgres:17\n',
      'deploy/notes.yaml': 'just: notes\n',
      'deploy/.github/ignored.yaml': deployment('hidden'),
      'elsewhere/other.yaml': deployment('other'),
    })
    const id = await added({ provider: 'manifests', config: { repositoryId, path: 'deploy' } })
    const account = await settled(p, owner, id)
    expect(account).toMatchObject({ status: 'connected', lastError: null })
    const nodes = await nodesOf(p, owner, id)
    const paths = nodes.map(({ name, type, properties }) => `${type} ${name} ${properties.path}`)
    expect(paths.filter(one => one.startsWith('k8s.deployment'))).toEqual(['k8s.deployment web deploy/web.yaml'])
    expect(byName(nodes, 'db')).toMatchObject({ properties: { repositoryId, path: 'deploy/compose.yaml' } })
    const exposed = nodes.find(({ type }) => type === 'k8s.service') as { id: string }
    expect((await edges(exposed.id)).length).toBeGreaterThan(0)
  })

  it('is as the repository was before where that is gone, and says so', async () => {
    const { id: repositoryId } = await repository({ 'web.yaml': deployment('web') })
    const id = await added({ provider: 'manifests', config: { repositoryId } })
    const { nodeCount } = await settled(p, owner, id)
    await p.call('repositories.del', { workspaceId, id: repositoryId }, owner)
    const { status } = await p.call('cloud_accounts.sync', { workspaceId, id }, owner)
    expect(status).toBe(409)
    await p.platform.jobs.runNow('cloud_accounts.sync', { workspaceId, id })
    const { result } = await p.call('cloud_accounts.get', { workspaceId, id }, owner)
    expect(result).toMatchObject({ status: 'error', nodeCount, config: {} })
  })
})

describe('terraform_state', () => {
  it('reads a state from a repository', async () => {
    const state = {
      version: 4,
      lineage: 'of-the-repository',
      resources: [
        {
          mode: 'managed',
          type: 'google_sql_database_instance',
          name: 'orders',
          provider: 'provider["registry.terraform.io/hashicorp/google"]',
          instances: [{ attributes: { id: 'orders', root_password: 'hunter2-in-root-password' } }],
        },
      ],
    }
    const { id: repositoryId } = await repository({ 'live/prod.tfstate': JSON.stringify(state) })
    const config = { repositoryId, path: 'live/prod.tfstate' }
    const id = await added({ provider: 'terraform_state', config })
    const account = await settled(p, owner, id)
    expect(account).toMatchObject({ status: 'connected', externalId: 'of-the-repository', nodeCount: 1 })
    await expectNowhere(['hunter2-in-root-password'], [account, await nodesOf(p, owner, id)])
  })
})

describe('telemetry', () => {
  const traceId = (n: number) => n.toString(16).padStart(32, '0')
  const spanId = (n: number) => n.toString(16).padStart(16, '0')

  it('finds services, who calls whom, and the databases and queues that they use', async () => {
    const { result: dataset } = await p.call(
      'datasets.post',
      { workspaceId, slug: `traces-${count++}`, kind: 'traces' },
      owner,
    )
    const at = new Date(p.now().getTime() - 60_000).toISOString()
    const span = (n: number, service: string, parent: number | null, more: Fields = {}) => ({
      ...{ at, traceId: traceId(1), spanId: spanId(n), service, name: 'GET /', durationMs: 5, kind: 'server' },
      ...(parent !== null && { parentSpanId: spanId(parent) }),
      ...more,
    })
    const database = { 'db.system.name': 'postgresql', 'server.address': 'orders-db', 'db.operation.name': 'INSERT' }
    const queue = { 'messaging.system': 'kafka', 'server.address': 'kafka-1' }
    const rows = [
      span(1, 'web', null),
      span(2, 'checkout', 1),
      span(3, 'checkout', 2, { kind: 'client', attributes: database }),
      span(4, 'payment', 2),
      span(5, 'payment', 4, { kind: 'producer', attributes: queue }),
    ]
    const content = { kind: 'json', bytes: Buffer.from(JSON.stringify(rows)) }
    const { result: sent } = await p.call('datasets.rows.post', { workspaceId, id: dataset.id, content }, owner)
    expect(sent).toMatchObject({ accepted: 5, rejected: [] })
    const id = await added({ provider: 'telemetry', config: { datasetId: dataset.id } })
    const account = await settled(p, owner, id)
    expect(account).toMatchObject({ status: 'connected', nodeCount: 5, lastError: null })
    const nodes = await nodesOf(p, owner, id)
    const [web, checkout, payment] = ['web', 'checkout', 'payment'].map(name => byName(nodes, name))
    expect(web).toMatchObject({ type: 'service', externalId: 'web', source: 'telemetry', category: 'compute' })
    const told = async (from: { id: string } | undefined) =>
      (await edges(from?.id ?? '')).map(({ toId, relation }: { toId: string; relation: string }) => [
        relation,
        nodes.find(node => node.id === toId)?.name,
      ])
    expect(await told(web)).toEqual([['invokes', 'checkout']])
    expect((await told(checkout)).sort()).toEqual([
      ['invokes', 'payment'],
      ['writes', 'postgresql orders-db'],
    ])
    expect(await told(payment)).toEqual([['writes', 'kafka kafka-1']])
    const [call] = await edges(web?.id ?? '')
    expect(call.confidence).toBeGreaterThan(0.5)
  })
})

describe('a sync', () => {
  it('is read again where a process ended before it was kept', async () => {
    const { id: repositoryId } = await repository({ 'web.yaml': deployment('web') })
    const id = await added({ provider: 'manifests', config: { repositoryId } })
    await settled(p, owner, id)
    const [done] = await p.database.query<{ id: string; moment: string }>(sql`
      select id, moment from cloud_account_syncs where account_id = ${id}`)
    await p.database.query(sql`
      update cloud_account_syncs set status = 'running', payload = null where id = ${done?.id}`)
    await p.platform.jobs.runNow('cloud_accounts.sync', { workspaceId, id })
    const after = await settled(p, owner, id)
    expect(after).toMatchObject({ status: 'connected', nodeCount: 1 })
    const rows = await p.database.query<{ id: string; status: string; moment: string }>(sql`
      select id, status, moment from cloud_account_syncs where account_id = ${id}`)
    expect(rows).toMatchObject([{ id: done?.id, status: 'succeeded' }])
    expect(new Date(rows[0]?.moment ?? 0).getTime()).toBeGreaterThan(new Date(done?.moment ?? 0).getTime())
  })

  it('is put into the graph once more at its own moment where a process ended while it was', async () => {
    const id = await added({ provider: 'push', syncIntervalMinutes: null })
    const key = { type: 'vm', externalId: 'vm-1', region: '' }
    const node = { ...key, name: 'web', category: 'compute' as const, properties: {}, tags: {} }
    const told = { complete: true, source: 'push' as const }
    const found = { externalId: null, nodes: [node], edges: [], unseen: [] }
    const [first, second] = await p.database.transaction(async tx => [
      await insertSync(tx, { id, workspaceId }, { ...told, found }, p.now()),
      await insertSync(tx, { id, workspaceId }, { ...told, found: { ...found, nodes: [] } }, p.now()),
    ])
    await p.database.query(sql`
      update cloud_account_syncs set status = 'running', started_at = now() where id = ${first?.id}`)
    await p.platform.jobs.runNow('cloud_infra.apply', { workspaceId, accountId: id })
    const { result } = await p.call('cloud_accounts.syncs.list', { workspaceId, id }, owner)
    const counts = result.items.map((one: Fields) => [one.id, one.status, one.nodesAdded, one.nodesRemoved])
    expect(counts.sort()).toEqual(
      [
        [first?.id, 'succeeded', 1, 0],
        [second?.id, 'succeeded', 0, 1],
      ].sort(),
    )
    const [gone] = await nodesOf(p, owner, id, { status: 'missing' })
    const moments = await p.database.query<{ moment: string }>(sql`
      select moment from cloud_account_syncs where account_id = ${id} order by moment`)
    expect([gone.firstSeen, gone.updated].map(at => new Date(at).getTime())).toEqual(
      moments.map(({ moment }) => new Date(moment).getTime()),
    )
  })

  it('that nobody works on any more is taken up by the schedule', async () => {
    const { id: repositoryId } = await repository({ 'web.yaml': deployment('web') })
    const id = await added({ provider: 'manifests', config: { repositoryId } })
    await settled(p, owner, id)
    await p.database.query(sql`
      update cloud_account_syncs set status = 'running', payload = null, created = now() - interval '1 hour'
      where account_id = ${id}`)
    await p.platform.jobs.runNow('cloud_accounts.due', {})
    expect(await settled(p, owner, id)).toMatchObject({ status: 'connected' })
  })
})
