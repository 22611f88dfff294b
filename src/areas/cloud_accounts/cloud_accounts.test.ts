// Cloud accounts: adding, changing, checking and deleting them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asContent, smallState } from '../../../test/cloud/account_calls.ts'
import { nodesOf, placesOf, settled, synced } from '../../../test/cloud/accounts.ts'
import { platform, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'
import { mirrored } from '../../../test/helpers/repositories.ts'
import { sql } from '../../kit/sql.ts'
import { due } from './syncing/store.ts'

let p: TestPlatform
let owner: TestCaller
let workspaceId: string
let repositoryId: string
let count = 0

beforeAll(async () => {
  p = await platform()
  owner = await p.user()
  workspaceId = owner.workspaceId
  repositoryId = await mirrored(p, owner, 'small')
})
afterAll(() => p.close())

type Fields = Record<string, unknown>

const post = (fields: Fields, by = owner) =>
  p.call('cloud_accounts.post', { workspaceId, name: `Account ${count++}`, ...fields }, by)
const patch = (id: string, fields: Fields, by = owner) =>
  p.call('cloud_accounts.patch', { workspaceId, id, ...fields }, by)
const sync = (id: string, by = owner) => p.call('cloud_accounts.sync', { workspaceId, id }, by)
const events = async (id: string) => {
  const rows = await p.database.query<{ action: string }>(sql`
    select action from ledger where chain = ${workspaceId} and target_id = ${id} order by seq`)
  return rows.map(({ action }) => action)
}

const arn = (account: string) => `arn:aws:iam::${account}:role/atrium`
const keys = { accessKeyId: 'AKIAEXAMPLEKEY', secretAccessKey: 'example/secret/of/a/key' }

describe('cloud_accounts.catalog', () => {
  it('tells everybody of each provider what it needs and takes, and how Google Cloud and Azure come in', async () => {
    const { status, result } = await p.call('cloud_accounts.catalog')
    expect(status).toBe(200)
    expect(result.providers.map(({ provider }: { provider: string }) => provider)).toEqual([
      'push',
      'terraform_state',
      'kubernetes',
      'docker',
      'manifests',
      'aws',
      'telemetry',
    ])
    const aws = result.providers.find(({ provider }: { provider: string }) => provider === 'aws')
    expect(Object.keys(aws.config.properties)).toEqual(['roleArn', 'endpoint'])
    expect(aws.secrets).toEqual(['accessKeyId', 'secretAccessKey', 'sessionToken'])
    expect(JSON.stringify(result)).toContain('Google Cloud and Azure')
  })
})

describe('cloud_accounts.post', () => {
  it('makes an account of its provider, with what nobody has said filled in', async () => {
    const { status, result } = await post({ provider: 'aws', config: { roleArn: arn('111122223333') } })
    expect(status).toBe(201)
    expect(result).toMatchObject({
      provider: 'aws',
      externalId: '111122223333',
      regions: ['us-east-1'],
      mode: 'read_only',
      status: 'pending',
      secretsSet: [],
      syncIntervalMinutes: 60,
      nodeCount: 0,
      rights: null,
      lastError: null,
    })
    expect(result.trustExternalId).toMatch(/^atrium-[0-9a-z]{32}$/)
    const pushed = (await post({ provider: 'push' })).result
    expect(pushed).toMatchObject({ syncIntervalMinutes: null, trustExternalId: null, regions: [] })
  })

  it.each([
    [{ provider: 'aws', externalId: '12' }, 'externalId'],
    [{ provider: 'aws', config: { roleArn: 'arn:aws:iam::1:role/x' } }, 'config/roleArn'],
    [{ provider: 'aws', externalId: '111122223333', config: { roleArn: arn('999922223333') } }, 'config.roleArn'],
    [{ provider: 'aws', config: { server: 'https://kubernetes.example.com' } }, 'config.server'],
    [{ provider: 'aws', credentials: { token: 'abc' } }, 'credentials.token'],
    [{ provider: 'aws', credentials: { accessKeyId: 'AKIA' } }, 'credentials.secretAccessKey'],
    [{ provider: 'push', config: { address: 'unix:///var/run/docker.sock' } }, 'config.address'],
    [{ provider: 'push', syncIntervalMinutes: 60 }, 'syncIntervalMinutes'],
    [{ provider: 'push', regions: ['eu-central-1'] }, 'regions'],
    [{ provider: 'terraform_state', syncIntervalMinutes: 60 }, 'syncIntervalMinutes'],
    [{ provider: 'terraform_state', config: { path: 'a.tfstate' } }, 'config.repositoryId'],
    [{ provider: 'docker', config: { address: 'unix:///root/docker.sock' } }, 'config.address'],
    [{ provider: 'kubernetes', config: { server: 'https://169.254.169.254' } }, 'config.server'],
    [{ provider: 'kubernetes', config: { server: 'https://a:b@kubernetes.example.com' } }, 'config/server'],
    [{ provider: 'kubernetes', credentials: { kubeconfig: 'a: b', token: 'abc' } }, 'credentials.kubeconfig'],
    [{ provider: 'manifests', config: { repositoryId: 'repo_0123456789abcdefghijklmn' } }, 'config.repositoryId'],
    [{ provider: 'telemetry', config: { datasetId: 'dataset_0123456789abcdefghijklmn' } }, 'config.datasetId'],
    [{ provider: 'push', syncIntervalMinutes: 4 }, 'syncIntervalMinutes'],
    [{ provider: 'push', name: 'x' }, 'name'],
    [{ provider: 'gcp' }, 'provider'],
  ])('refuses %j with the place of what is wrong', async (fields, place) => {
    const { status, error } = await post(fields)
    expect(status).toBe(400)
    expect(JSON.stringify(error.metadata?.issues ?? error).replaceAll('/', '.')).toContain(place.replaceAll('/', '.'))
  })

  it('refuses what the caller may not read, as what is not there', async () => {
    const key = await p.key(owner, { scopes: ['cloud_accounts:write', 'cloud_accounts:read'] })
    const fields = { provider: 'manifests', config: { repositoryId } }
    expect((await post(fields, key)).status).toBe(400)
    expect(
      (await post({ ...fields, config: { repositoryId: 'repo_0123456789abcdefghijklmn' } }, key)).error.detail,
    ).toBe((await post(fields, key)).error.detail)
  })

  it('answers 409 to an external id that another account of the provider has, here and not elsewhere', async () => {
    const fields = { provider: 'aws', externalId: '123456789012' }
    expect((await post(fields)).status).toBe(201)
    const again = await post(fields)
    expect([again.status, again.error.metadata.externalId]).toEqual([409, '123456789012'])
    expect((await post({ provider: 'push', externalId: '123456789012' })).status).toBe(201)
    const other = await p.user()
    expect((await post({ ...fields, workspaceId: other.workspaceId }, other)).status).toBe(201)
  })

  it('lets owners and admins alone write accounts, and no agent', async () => {
    const [admin, member] = [await p.as('admin', workspaceId), await p.as('member', workspaceId)]
    expect((await post({ provider: 'push', mode: 'read_write' }, admin)).status).toBe(201)
    expect((await post({ provider: 'push', mode: 'read_write' }, member)).status).toBe(403)
    expect((await post({ provider: 'push' }, await p.key(owner, { callerKind: 'private' }))).status).toBe(403)
  })

  it('answers 409 once the workspace has 50, however many are added at the same time', async () => {
    const other = await p.user()
    const add = () => post({ workspaceId: other.workspaceId, provider: 'push' }, other)
    await p.database.query(sql`
      insert into cloud_accounts (id, workspace_id, owner_id, name, provider, mode, state, created, updated)
      select 'cloud_account_' || ${other.workspaceId} || n, ${other.workspaceId}, ${other.id}, 'Many', 'push', 'read_only',
        'pending', now(), now() from generate_series(1, 46) n`)
    const answers = await Promise.all(Array.from({ length: 10 }, () => add()))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([...Array(4).fill(201), ...Array(6).fill(409)])
    expect((await add()).error.detail).toContain('at most 50 cloud accounts')
  })

  it('keeps credentials sealed and shows their names only', async () => {
    const { result, text } = await post({ provider: 'aws', credentials: keys, syncIntervalMinutes: null })
    expect(result.secretsSet).toEqual(['accessKeyId', 'secretAccessKey'])
    expect(text).not.toContain(keys.secretAccessKey)
    expect(await placesOf(p, [keys.secretAccessKey, keys.accessKeyId])).toEqual([])
    await p.call('cloud_accounts.del', { workspaceId, id: result.id }, owner)
  })
})

describe('cloud_accounts.patch', () => {
  it('drops the credentials with the address, unless they come along', async () => {
    const [first, second] = ['https://127.0.0.1:1', 'https://127.0.0.1:2']
    const { result } = await post({
      provider: 'kubernetes',
      config: { server: first },
      credentials: { token: 'abc' },
      syncIntervalMinutes: null,
    })
    const { id } = result
    expect((await patch(id, { name: 'Other' })).result).toMatchObject({ name: 'Other', secretsSet: ['token'] })
    const narrowed = { server: first, namespaces: ['shop'] }
    expect((await patch(id, { config: narrowed })).result).toMatchObject({ config: narrowed, secretsSet: ['token'] })
    expect((await patch(id, { config: { server: second } })).result.secretsSet).toEqual([])
    const both = { config: { server: first }, credentials: { token: 'def' } }
    expect((await patch(id, both)).result.secretsSet).toEqual(['token'])
    expect((await patch(id, { credentials: {} })).result.secretsSet).toEqual([])
    expect((await patch(id, { config: { address: 'https://127.0.0.1:3' } })).status).toBe(400)
  })

  it('takes no role of another account than the one that it has', async () => {
    const { result } = await post({ provider: 'aws', externalId: '555522223333' })
    expect((await patch(result.id, { config: { roleArn: arn('666622223333') } })).status).toBe(400)
    expect((await patch(result.id, { config: { roleArn: arn('555522223333') } })).status).toBe(200)
    expect((await patch(result.id, { externalId: '666622223333' })).status).toBe(400)
  })

  it('disconnects and connects again, without the old credentials', async () => {
    const { result } = await post({ provider: 'aws', externalId: '777722223333', credentials: keys })
    const gone = (await patch(result.id, { status: 'disconnected' })).result
    expect(gone).toMatchObject({ status: 'disconnected', secretsSet: [] })
    expect((await sync(result.id)).status).toBe(409)
    expect((await patch(result.id, { status: 'pending' })).result.status).toBe('pending')
  })

  it('changes nothing by an empty patch, nor where somebody was quicker', async () => {
    const { result } = await post({ provider: 'push' })
    const before = await events(result.id)
    expect((await patch(result.id, {})).result).toEqual(result)
    expect(await events(result.id)).toEqual(before)
    const { status } = await p.call('cloud_accounts.patch', { workspaceId, id: result.id, name: 'New' }, owner, {
      'if-match': '"old"',
    })
    expect(status).toBe(409)
  })
})

describe('cloud_accounts.setup', () => {
  it.each([
    ['aws', {}, ['trust-policy.json', 'policy.json'], 'sts:ExternalId'],
    ['kubernetes', { config: { server: 'https://127.0.0.1:1' } }, ['atrium.yaml'], 'verbs: [list]'],
    ['docker', {}, ['proxy.sh'], 'docker run'],
    ['push', {}, ['push.sh'], '/v1/cloud_infra/snapshots'],
    ['terraform_state', {}, ['upload.sh'], 'terraform state pull'],
    ['manifests', {}, [], 'repository'],
    ['telemetry', {}, [], 'dataset'],
  ])('gives what to paste for %s', async (provider, fields, names, part) => {
    const { result: made } = await post({ provider, syncIntervalMinutes: null, ...fields })
    const { status, result, text } = await p.call('cloud_accounts.setup', { workspaceId, id: made.id }, owner)
    expect(status).toBe(200)
    expect(result.documents.map(({ name }: { name: string }) => name)).toEqual(names)
    expect(text).toContain(part)
    if (made.trustExternalId) expect(text).toContain(made.trustExternalId)
    for (const { format, text: document } of result.documents) if (format === 'json') JSON.parse(document)
  })
})

describe('cloud_accounts.state.put', () => {
  const put = (id: string, state: object) =>
    p.call('cloud_accounts.state.put', { workspaceId, id, ...asContent(state) }, owner)

  it('takes a state without its secrets, and has the graph follow it', async () => {
    const { result: made } = await post({ provider: 'terraform_state' })
    const hidden = 'hunter2-in-a-state'
    const [resource] = smallState.resources
    const database = {
      ...resource,
      type: 'aws_db_instance',
      instances: [{ schema_version: 1, attributes: { id: 'db-1', password: hidden } }],
    }
    const { status, result } = await put(made.id, { ...smallState, resources: [resource, database] })
    expect([status, result._object, result.status]).toEqual([202, 'cloud_sync', 'waiting'])
    const account = await settled(p, owner, made.id)
    expect(account).toMatchObject({ status: 'connected', externalId: smallState.lineage, nodeCount: 2 })
    expect(await placesOf(p, [hidden])).toEqual([])
    expect(await events(made.id)).toEqual(['cloud_accounts.post', 'cloud_accounts.state.put', 'cloud_accounts.synced'])
    await put(made.id, { ...smallState, serial: 2 })
    expect(await settled(p, owner, made.id)).toMatchObject({ nodeCount: 1 })
    const { result: syncs } = await p.call('cloud_accounts.syncs.list', { workspaceId, id: made.id }, owner)
    expect(syncs.items).toMatchObject([
      { status: 'succeeded', nodesAdded: 0, nodesRemoved: 1, errors: [] },
      { status: 'succeeded', nodesAdded: 2, nodesRemoved: 0, errors: [] },
    ])
  })

  it('applies states in their order, each at a moment of its own', async () => {
    const { result: made } = await post({ provider: 'terraform_state' })
    const lineage = { lineage: '0f5a3c1e-0000-4000-8000-000000000002' }
    for (let serial = 1; serial <= 5; serial++) await put(made.id, { ...smallState, ...lineage, serial })
    await settled(p, owner, made.id)
    const rows = await p.database.query<{ moment: string; status: string; payload: unknown }>(sql`
      select moment, status, payload from cloud_account_syncs where account_id = ${made.id} order by created, moment`)
    expect(new Set(rows.map(({ moment }) => moment)).size).toBe(5)
    expect(rows.every(({ status, payload }) => status === 'succeeded' && payload === null)).toBe(true)
  })

  it('refuses what is no state, and accounts that take none', async () => {
    const { result: made } = await post({ provider: 'terraform_state' })
    expect((await put(made.id, { format_version: '1.0' })).status).toBe(400)
    const pushed = (await post({ provider: 'push' })).result
    expect((await put(pushed.id, smallState)).status).toBe(409)
    const fields = {
      provider: 'terraform_state',
      config: { repositoryId, path: 'a.tfstate' },
      syncIntervalMinutes: null,
    }
    expect((await put((await post(fields)).result.id, smallState)).status).toBe(409)
  })
})

describe('cloud_accounts.sync', () => {
  it('answers 409 where nothing is configured yet, where it is pushed, and where it is being read', async () => {
    const pending = (await post({ provider: 'aws' })).result
    const first = await sync(pending.id)
    expect([first.status, first.error.metadata.state]).toEqual([409, 'pending'])
    expect((await sync((await post({ provider: 'push' })).result.id)).status).toBe(409)
    expect((await sync((await post({ provider: 'terraform_state' })).result.id)).status).toBe(409)
    const busy = (await post({ provider: 'manifests', config: { repositoryId }, syncIntervalMinutes: null })).result
    await settled(p, owner, busy.id)
    await p.database.query(sql`
      update cloud_accounts set lease = 'other', leased_until = now() + interval '1 hour' where id = ${busy.id}`)
    const again = await sync(busy.id)
    expect([again.status, again.error.metadata.state]).toEqual([409, 'syncing'])
  })

  it('tells of a failure once, not with each try, and of the next that goes well', async () => {
    const fields = {
      provider: 'terraform_state',
      config: { repositoryId, path: 'none.tfstate' },
      syncIntervalMinutes: null,
    }
    const { result: made } = await post(fields)
    await settled(p, owner, made.id)
    const failed = await synced(p, owner, made.id)
    expect(failed).toMatchObject({ status: 'error', lastError: { code: 'failed' }, nodeCount: 0 })
    expect(failed.lastError.text).toContain('path')
    expect((await events(made.id)).filter(action => action === 'cloud_accounts.failed')).toHaveLength(1)
    const { result } = await p.call('cloud_accounts.syncs.list', { workspaceId, id: made.id, status: 'failed' }, owner)
    expect(result.count).toBe(2)
    expect(result.items[0].errors).toMatchObject([{ region: null, types: null, code: 'failed' }])
  })

  it('comes by itself when its time has come, and not before', async () => {
    const { result: made } = await post({ provider: 'manifests', config: { repositoryId }, syncIntervalMinutes: 5 })
    await settled(p, owner, made.id)
    const isDue = async (minutes: number) =>
      (await p.database.query(due(new Date(p.now().getTime() + minutes * 60_000), 1000))).some(
        row => row.id === made.id,
      )
    expect([await isDue(0), await isDue(4), await isDue(6)]).toEqual([false, false, true])
  })
})

describe('cloud_accounts.del', () => {
  it('has its nodes missing, and leaves its secrets nowhere', async () => {
    const { result: made } = await post({ provider: 'terraform_state' })
    const state = { ...smallState, lineage: '0f5a3c1e-0000-4000-8000-000000000003' }
    await p.call('cloud_accounts.state.put', { workspaceId, id: made.id, ...asContent(state) }, owner)
    await settled(p, owner, made.id)
    expect(await nodesOf(p, owner, made.id)).toHaveLength(1)
    const { status, result } = await p.call('cloud_accounts.del', { workspaceId, id: made.id }, owner)
    expect([status, result]).toEqual([200, { workspaceId, id: made.id, _object: 'cloud_account' }])
    for (let tries = 0; (await nodesOf(p, owner, made.id)).length > 0 && tries < 400; tries++) {
      await new Promise(resolve => setTimeout(resolve, 25))
    }
    expect(await nodesOf(p, owner, made.id)).toEqual([])
    expect(await nodesOf(p, owner, made.id, { status: 'missing' })).toHaveLength(1)
    expect((await p.call('cloud_accounts.get', { workspaceId, id: made.id }, owner)).status).toBe(404)
  })

  it('is for admins, and not for agents', async () => {
    const { result: made } = await post({ provider: 'push' })
    const del = (by: TestCaller) => p.call('cloud_accounts.del', { workspaceId, id: made.id }, by)
    expect((await del(await p.as('member', workspaceId))).status).toBe(403)
    expect((await del(await p.key(owner, { callerKind: 'automation' }))).status).toBe(403)
    expect((await del(owner)).status).toBe(200)
  })
})
