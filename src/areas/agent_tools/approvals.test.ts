import { describe, expect, it } from 'vitest'
import { approvalDesk, withHeaders } from '../../../test/helpers/approvals.ts'
import { connect, textOf } from '../../../test/helpers/mcp.ts'
import { sql } from '../../kit/sql.ts'

const { p, team, decide, asked } = await approvalDesk()
const hour = 3_600_000

const teamsIn = async (workspaceId: string) =>
  (await p.database.query(sql`select id from teams where workspace_id = ${workspaceId}`)).length

describe('a call that needs an approval', () => {
  it('answers 202, does nothing, and asks the people who can decide', async () => {
    const { owner, agent, workspaceId, answer, wait } = await asked()
    expect(answer.status).toBe(202)
    expect(answer.body.message.message).toBe('Request accepted')
    expect(wait).toEqual({
      approvalId: expect.stringMatching(/^apr_[0-9a-z]{24}$/),
      status: 'pending',
      expiresAt: expect.any(String),
    })
    expect(Math.abs(Date.parse(wait.expiresAt) - p.now().getTime() - hour)).toBeLessThan(60_000)
    expect(answer.headers['approval-id']).toBe(wait.approvalId)
    expect(await teamsIn(workspaceId)).toBe(0)
    const { result } = await p.call('agent_tools.approvals.get', { workspaceId, approvalId: wait.approvalId }, owner)
    expect(result).toMatchObject({
      tool: 'teams_post',
      operationId: 'teams.post',
      args: { name: 'Engines' },
      runId: agent.id,
      callerKind: 'private',
      status: 'pending',
      decidedBy: null,
      ownerId: owner.userId,
    })
    const { email } = (await p.call('auth.whoami', {}, owner)).result
    const mail = (await p.mails(email)).find(({ subject }) => subject.includes('teams_post'))
    expect(mail?.text).toContain(`/w/${workspaceId}/agent_tools`)
    const [entry] = await p.database.query<{ entry: string }>(
      sql`select entry from ledger where chain = ${workspaceId} order by seq desc limit 1`,
    )
    expect(JSON.parse(entry?.entry ?? '{}')).toMatchObject({
      action: 'agent_tools.approvals.wanted',
      actor: { type: 'run', callerKind: 'private' },
      target: { id: wait.approvalId },
    })
  })

  it('is the same approval while it is open, and another for other arguments', async () => {
    const { owner, agent, wait } = await asked()
    expect((await team(agent)).result).toEqual(wait)
    expect((await team(agent, wait.approvalId)).result).toEqual(wait)
    expect((await team(agent, undefined, 'Others')).result.approvalId).not.toBe(wait.approvalId)
    const other = await p.run(owner, 'private')
    expect((await team(other)).result.approvalId).not.toBe(wait.approvalId)
    const both = await Promise.all([team(agent, undefined, 'Third'), team(agent, undefined, 'Third')])
    expect(new Set(both.map(({ result }) => result.approvalId)).size).toBe(1)
  })

  it('is checked as any other first: bad input is refused, not asked about', async () => {
    const { agent, workspaceId } = await asked()
    expect((await p.call('teams.post', { workspaceId, name: '' }, agent)).status).toBe(400)
    expect((await p.call('teams.post', { workspaceId, nme: 'x' }, agent)).status).toBe(400)
  })

  it('goes through exactly once when it is approved', async () => {
    const { owner, agent, workspaceId, wait } = await asked()
    const decided = await decide(owner, wait.approvalId, { note: 'Go on.' })
    expect(decided.result).toMatchObject({ status: 'approved', decidedBy: owner.userId, note: 'Go on.' })
    expect((await team(agent)).status).toBe(202)
    const answers = await Promise.all(Array.from({ length: 8 }, () => team(agent, wait.approvalId)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(403)])
    const refused = answers.find(({ status }) => status === 403)
    expect(refused?.error.metadata).toEqual({ reason: 'approval', state: 'used' })
    expect(await teamsIn(workspaceId)).toBe(1)
    const { result } = await p.call('agent_tools.approvals.get', { workspaceId, approvalId: wait.approvalId }, owner)
    expect(result).toMatchObject({ status: 'used', usedAt: expect.any(String) })
  })

  it('keeps the approval where the call fails, and repeats the answer of a repeated request', async () => {
    const { owner, agent, workspaceId } = await asked()
    const issue = (await p.call('issues.post', { workspaceId, title: 'Checkout fails' }, owner)).result
    const other = (await p.call('issues.post', { workspaceId, title: 'Checkout fails too' }, owner)).result
    const merge = (headers: Record<string, string> = {}) =>
      p.call('issues.merge', { workspaceId, id: issue.id, intoId: other.id }, withHeaders(agent, headers))
    const { approvalId } = (await merge()).result
    await decide(owner, approvalId)
    await p.call('issues.merge', { workspaceId, id: other.id, intoId: issue.id }, owner)
    const failed = await merge({ 'approval-id': approvalId })
    expect([400, 409]).toContain(failed.status)
    await p.call('issues.split', { workspaceId, id: other.id }, owner)
    const headers = { 'approval-id': approvalId, 'idempotency-key': 'merge' }
    const done = await merge(headers)
    expect(done.status).toBe(200)
    expect((await merge(headers)).text).toBe(done.text)
    expect((await merge({ 'idempotency-key': 'merge' })).text).toBe(done.text)
    expect((await merge({ 'approval-id': approvalId })).status).toBeGreaterThanOrEqual(400)
  })

  it('is bound to tool, arguments and caller', async () => {
    const { owner, agent, workspaceId, wait } = await asked()
    await decide(owner, wait.approvalId)
    const others = [
      await team(agent, wait.approvalId, 'Another name'),
      await p.call(
        'labels.post',
        { workspaceId, name: 'Engines' },
        withHeaders(agent, { 'approval-id': wait.approvalId }),
      ),
      await team(await p.run(owner, 'private'), wait.approvalId),
      await team(agent, 'apr_000000000000000000000000'),
      await team(agent, 'nonsense'),
    ]
    for (const { status, error } of others) {
      expect([status, error.metadata]).toEqual([403, { reason: 'approval' }])
    }
    expect(await teamsIn(workspaceId)).toBe(0)
    // The order of fields is no argument.
    const body = { description: null, name: 'Engines', workspaceId }
    expect((await p.call('teams.post', body, agent)).status).toBe(202)
    expect((await team(agent, wait.approvalId)).status).toBe(201)
  })

  it('ends by being denied, and by its age', async () => {
    const { owner, agent, workspaceId, wait } = await asked()
    expect((await decide(owner, wait.approvalId, { decision: 'deny' })).result.status).toBe('denied')
    const refused = await team(agent, wait.approvalId)
    expect([refused.status, refused.error.metadata.state]).toEqual([403, 'denied'])
    expect(await teamsIn(workspaceId)).toBe(0)
  })

  it('is refused at once where nobody attends', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    await p.call('agent_tools.patch', { workspaceId, name: 'teams_post', perKind: { automation: 'approve' } }, owner)
    const agent = await p.run(owner, 'automation')
    const { status, error } = await team(agent)
    expect([status, error.metadata]).toEqual([403, { reason: 'approval' }])
    const { result } = await p.call('agent_tools.approvals.list', { workspaceId }, owner)
    expect(result.count).toBe(0)
  })

  it('is one of few: whoever floods people with questions is refused', async () => {
    const { agent } = await asked()
    for (let index = 0; index < 19; index++) expect((await team(agent, undefined, `Team ${index}`)).status).toBe(202)
    const { status, error } = await team(agent, undefined, 'One more')
    expect([status, error.metadata]).toEqual([403, { reason: 'approval' }])
  })

  it('works through agent_tools.run and over MCP as over REST', async () => {
    const { owner, agent, workspaceId, wait } = await asked()
    const run = (more: object = {}) =>
      p.call('agent_tools.run', { workspaceId, name: 'teams_post', args: { name: 'Engines' }, ...more }, agent)
    const again = await run({ reason: 'The user asked for “Engines”.' })
    expect([again.status, again.result]).toEqual([202, wait])
    const fresh = await run({ args: { name: 'Reasoned' }, reason: 'The user asked for “Reasoned”.' })
    const shown = await p.call('agent_tools.approvals.get', { workspaceId, approvalId: fresh.result.approvalId }, owner)
    expect(shown.result.reason).toBe('The user asked for “Reasoned”.')
    await decide(owner, wait.approvalId)
    const done = await run({ approvalId: wait.approvalId })
    expect([done.status, done.result.result.name]).toEqual([200, 'Engines'])
    expect((await run({ approvalId: wait.approvalId })).status).toBe(403)

    const client = await connect(p, agent, { path: '/mcp/x/teams' })
    const call = (args: object) => client.callTool({ name: 'teams_post', arguments: { name: 'By MCP', ...args } })
    const waiting = await call({})
    expect(waiting.isError).toBe(true)
    const approvalId = /apr_[0-9a-z]{24}/.exec(textOf(waiting))?.[0] ?? ''
    await decide(owner, approvalId)
    expect((await call({ approvalId })).isError).toBeFalsy()
    expect((await call({ approvalId })).isError).toBe(true)
    await client.close()
    expect(await teamsIn(workspaceId)).toBe(2)
  })

  it('is told by a dry run, which asks nobody', async () => {
    const { owner, agent, workspaceId } = await asked()
    const { result } = await p.call(
      'agent_tools.run',
      { workspaceId, name: 'teams_post', args: { name: 'Maybe' }, dryRun: true },
      agent,
    )
    expect(result.wouldCall).toMatchObject({ allowed: true, needsApproval: true })
    const explained = await p.call('access.explain', { operation: 'teams.post', workspaceId }, agent)
    expect(explained.result).toMatchObject({ allowed: true, detail: expect.stringContaining('approve') })
    expect((await p.call('agent_tools.approvals.list', { workspaceId }, owner)).result.count).toBe(1)
  })
})
