// Archives that somebody made up and signed: what no export would hold is refused, and nothing of others is reached.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql } from '../../src/kit/sql.ts'
import type { Answer, TestPlatform } from '../helpers/platform.ts'
import { enemy, type Homes, packed, twoHomes } from './homes.ts'
import { linesOf } from './zips.ts'

let homes: Homes
let files: Map<string, Buffer>
let here: TestPlatform
beforeAll(async () => {
  homes = await twoHomes()
  ;({ files, here } = homes)
}, 600_000)
afterAll(() => here.close())

const usageOf = /"usage":(null|\{[^}]*\})/
const createdOf = /"created":"[^"]+"/

describe('an archive of an enemy', () => {
  const change = (path: string, edit: (text: string) => string) =>
    packed(files, { [path]: edit(String(files.get(path))) })

  async function answerTo(bytes: Buffer): Promise<Answer> {
    return await homes.send(bytes, await homes.stranger())
  }

  it('with a list of their own that is right is taken: who signed it is shown', async () => {
    const { status, result } = await homes.send(await packed(files, {}), await homes.stranger(), { dryRun: true })
    expect([status, result.source.publicKey]).toEqual([200, enemy.publicKey.export({ format: 'jwk' }).x])
  })

  it.each([
    ['an automation that is on', 'areas/automations/automations.ndjson', /"enabled":false/, '"enabled":true'],
    ['an integration that sends', 'areas/integrations/integrations.ndjson', /"status":"paused"/, '"status":"active"'],
    ['a run that goes on', 'areas/threads/agent_runs.ndjson', /"status":"\w+"/, '"status":"queued"'],
    ['a page for everybody', 'areas/pages/pages.ndjson', /"visibility":"workspace"/, '"visibility":"link"'],
    ['a role that there is not', 'areas/workspaces/workspace_members.ndjson', /"position":"\w+"/, '"position":"god"'],
    ['a field of its own', 'areas/labels/labels.ndjson', /"name":/, '"workspace_id":"ws_x","name":'],
    ['a field twice', 'areas/labels/labels.ndjson', /"name":/, '"name":"Other","name":'],
    ['a field twice, spelled otherwise', 'areas/labels/labels.ndjson', /"name":/, '"n\\u0061me":"Other","name":'],
    ['a number that is a text', 'areas/issues/issues.ndjson', /"number":\d+/, '"number":"1"'],
    ['a text with NUL', 'areas/labels/labels.ndjson', /"name":"/, '"name":"\\u0000'],
    ['an id of another form', 'areas/labels/labels.ndjson', /"id":"label_\w+"/, '"id":"../../x"'],
    [
      'a message in no thread',
      'areas/threads/messages.ndjson',
      /"thread_id":"\w+"/,
      '"thread_id":"thread_000000000000000000000000"',
    ],
    [
      'a file that is not there',
      'areas/threads/message_files.ndjson',
      /"sha256":"\w{64}"/,
      `"sha256":"${'0'.repeat(64)}"`,
    ],
    ['a client of our own', 'areas/oauth_clients/oauth_clients.ndjson', /"origin":"console"/, '"origin":"builtin"'],
    ['a file of another size', 'areas/threads/message_files.ndjson', /"size":\d+/, '"size":1'],
    ['an upload of nobody', 'areas/threads/message_files.ndjson', /"message_id":"\w+"/, '"message_id":null'],
    ['an id of another kind', 'areas/labels/labels.ndjson', /"id":"label_/, '"id":"team_'],
    [
      'an endless depth',
      'areas/issues/issues.ndjson',
      /"before_merge":null/,
      `"before_merge":${'['.repeat(99)}${']'.repeat(99)}`,
    ],
    ['a name without end', 'areas/labels/labels.ndjson', /"name":"/, `"name":"${'x'.repeat(100_000)}`],
    ['a list that is none', 'areas/threads/messages.ndjson', /"parts":\[/, '"parts":[7,'],
    [
      'more rules than a tool has',
      'areas/agent_tools/agent_tool_policies.ndjson',
      /"arg_rules":\[[^\]]*\]/,
      `"arg_rules":[${Array(51).fill('{"path":"a","op":"eq","value":1,"mode":"deny","kind":null}').join()}]`,
    ],
    [
      'a rule that takes for ever',
      'areas/agent_tools/agent_tool_policies.ndjson',
      /"arg_rules":\[[^\]]*\]/,
      '"arg_rules":[{"path":"a","op":"matches","value":"((a{1,99}){1,99}){1,99}","mode":"deny","kind":null}]',
    ],
    [
      'a schema that is none',
      'areas/skills/skills.ndjson',
      /"parameters_schema":null/,
      '"parameters_schema":{"type":"array"}',
    ],
    [
      'what its type does not take',
      'areas/integrations/integrations.ndjson',
      /"config": ?\{/,
      '"config":{"root":true,',
    ],
    ['a counter below zero', 'areas/issues/issue_counters.ndjson', /"last_number":\d+/, '"last_number":-1'],
    ['a run that gives tokens back', 'areas/threads/agent_runs.ndjson', usageOf, '"usage":{"in":-5}'],
    ['a run whose tokens are no number', 'areas/threads/agent_runs.ndjson', usageOf, '"usage":{"out":"x"}'],
    ['a run that has not begun', 'areas/threads/agent_runs.ndjson', createdOf, '"created":"2999-01-01T00:00:00Z"'],
    [
      'an execution that has not begun',
      'areas/automations/automation_executions.ndjson',
      createdOf,
      '"created":"2999-01-01T00:00:00Z"',
    ],
    ['a time that never ends', 'workspace.json', /"created":"[^"]+"/, '"created":"infinity"'],
    ['a time that there is not', 'workspace.json', /"created":"[^"]+"/, '"created":"2026-99-99T00:00:00Z"'],
    ['a name with NUL', 'workspace.json', /"name":"/, '"name":"\\u0000'],
    ['a setting of another type', 'workspace.json', /"auditDays":\d+/, '"auditDays":"1"'],
    ['a time zone that there is not', 'workspace.json', /"timezone":"[^"]+"/, '"timezone":"Mars/Base"'],
    ['an endpoint with a user', 'workspace.json', /"baseUrl":"https:\/\//, '"baseUrl":"https://root@'],
    ['settings that are none', 'workspace.json', /"agent":\{/, '"agent":[],"ignored":{'],
  ])('%s is refused', async (_, path, from, to) => {
    expect(String(files.get(path))).toMatch(from)
    const answer = await answerTo(await change(path, text => text.replace(from, to)))
    expect([answer.status, answer.error?.detail ?? answer.cause]).toEqual([400, expect.any(String)])
  })

  it.each([
    ['a day that has not come', { day: '2999-01-01T00:00:00.000000Z' }],
    ['fewer items than none', { accepted: -9e15 }],
  ])('with telemetry of %s is refused', async (_, forged) => {
    const [{ id }] = linesOf(files, 'areas/telemetry_tokens/telemetry_tokens.ndjson') as [{ id: string }]
    const [{ tables }] = linesOf(files, 'manifest.json') as [{ tables: { table: string; columns: string[] }[] }]
    const columns = tables.find(({ table }) => table === 'telemetry_token_days')?.columns ?? []
    expect(columns).not.toContain('bytes')
    const row = { token_id: id, day: '2026-01-01T00:00:00.000000Z', accepted: 1, rejected: 0 }
    const send = (values: Record<string, unknown>) => {
      const line = JSON.stringify(Object.fromEntries(columns.map(name => [name, values[name] ?? null])))
      return packed(files, { 'areas/telemetry_tokens/telemetry_token_days.ndjson': `${line}\n` })
    }
    expect((await homes.send(await send(row), await homes.stranger(), { dryRun: true })).status).toBe(200)
    expect((await answerTo(await send({ ...row, ...forged }))).status).toBe(400)
  })

  it('that names a record of somebody else gets an id that nobody has', async () => {
    const victim = await homes.stranger()
    const { result: team } = await here.call('teams.post', { workspaceId: victim.workspaceId, name: 'Secret' }, victim)
    const path = 'areas/issues/issues.ndjson'
    const text = String(files.get(path)).replace(/"team_id":null/, `"team_id":"${team.id}"`)
    const { status, result } = await answerTo(await packed(files, { [path]: text }))
    expect(status).toBe(201)
    const rows = await here.database.query<{ teamId: string }>(
      sql`select team_id from issues where workspace_id = ${result.id} and team_id is not null`,
    )
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.map(({ teamId }) => teamId)).not.toContain(team.id)
  })

  it('with an id in escapes makes nobody a member', async () => {
    const victim = await homes.stranger()
    const [person = ''] = String(files.get('people.ndjson')).split('\n')
    const path = 'areas/workspaces/workspace_members.ndjson'
    const [member = ''] = String(files.get(path)).split('\n')
    const named = JSON.stringify({ ...JSON.parse(person), id: victim.userId, address: null })
    const hidden = JSON.stringify({ ...JSON.parse(member), user_id: victim.userId }).replace('"usr_', '"\\u0075sr_')
    const changes = {
      'people.ndjson': `${files.get('people.ndjson')}${named}\n`,
      [path]: `${files.get(path)}${hidden}\n`,
    }
    const { status, result } = await answerTo(await packed(files, changes))
    expect(status).toBe(201)
    const rows = await here.database.query(
      sql`select user_id from workspace_members where workspace_id = ${result.id} and user_id = ${victim.userId}`,
    )
    expect(rows).toEqual([])
  })

  it('with a client that has lost its secret lets nobody in as that client', async () => {
    const path = 'areas/oauth_clients/oauth_clients.ndjson'
    const [line = ''] = String(files.get(path)).split('\n')
    const grants = ['client_credentials']
    const client = { ...JSON.parse(line), type: 'confidential', grants, redirect_uris: [], scopes: ['issues:read'] }
    const { status, result } = await answerTo(await packed(files, { [path]: `${JSON.stringify(client)}\n` }))
    expect(status).toBe(201)
    const [{ id }] = (await here.database.query(
      sql`select id from oauth_clients where workspace_id = ${result.id}`,
    )) as [{ id: string }]
    const answer = await here.app.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: `grant_type=client_credentials&client_id=${id}`,
    })
    expect([answer.statusCode, answer.json().error]).toEqual([401, 'invalid_client'])
  })

  it('with a bundle that git does not take leaves nothing', async () => {
    const [{ id }] = linesOf(files, 'areas/repositories/repositories.ndjson') as [{ id: string }]
    const bundle = { [`repositories/${id}.bundle`]: `# v2 git bundle\n${'0'.repeat(40)} refs/heads/main\n\nPACK` }
    const count = async () => (await here.database.query(sql`select id from workspaces`)).length
    const by = await homes.stranger()
    const before = await count()
    const answer = await homes.send(await packed(files, bundle), by)
    expect([answer.status, answer.error?.detail ?? answer.cause]).toEqual([400, expect.stringContaining('git')])
    expect(await count()).toBe(before)
  })

  it('may have a text of many megabytes', async () => {
    const long = await change('areas/pages/page_contents.ndjson', text =>
      text.replace(/"html":"/, `"html":"${'word '.repeat(1_000_000)}`),
    )
    const { status, error } = await homes.send(long, await homes.stranger(), { dryRun: true })
    expect([status, error]).toEqual([200, null])
  })

  it('that contradicts itself leaves nothing', async () => {
    const path = 'areas/labels/labels.ndjson'
    const [first = ''] = String(files.get(path)).split('\n')
    const twin = first.replace(/"id":"label_\w{4}/, '"id":"label_zzzz')
    const before = await homes.everything()
    const answer = await answerTo(await packed(files, { [path]: `${String(files.get(path))}${twin}\n` }))
    expect([answer.status, answer.error?.detail]).toEqual([400, expect.stringContaining('contradicts')])
    const more = (await homes.everything()).filter(line => !before.includes(line))
    expect(more.filter(line => /^public\.(labels|placeholders|issues|blobs|threads)\./.test(line))).toEqual([])
  })
})
