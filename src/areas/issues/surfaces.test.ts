// The same work through REST, the command line and MCP leaves the same rows.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { methodOf } from '../../../src/contract/operation.ts'
import { raw, sql } from '../../../src/kit/sql.ts'
import { operation as lookUp } from '../../../src/operations.ts'
import { connect, textOf } from '../../../test/helpers/mcp.ts'
import { platform, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'
import { commandLine, listen } from '../../../test/helpers/terminal.ts'

let p: TestPlatform
let baseUrl: string
beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
  baseUrl = await listen(p)
})
afterAll(() => p.close())

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at field by field
type Call = (id: string, input: Record<string, unknown>) => Promise<any>

async function overRest(caller: TestCaller): Promise<Call> {
  return async (id, input) => {
    const answer = await p.call(id, { workspaceId: caller.workspaceId, ...input }, caller)
    expect(answer.error).toBeNull()
    return answer.result
  }
}

async function overCommandLine(caller: TestCaller): Promise<Call> {
  const { atrium } = await commandLine(baseUrl)
  await atrium('login --api-key -', { stdin: `${caller.token}\n` })
  return async (id, input) => {
    const operation = lookUp(id)
    const path = Object.keys(operation?.path?.properties ?? {})
    const inPath = path.filter(name => name !== 'workspaceId')
    const rest = Object.fromEntries(Object.entries(input).filter(([name]) => !path.includes(name)))
    const words = [...id.split('.'), ...inPath.map(name => String(input[name]))]
    if (operation?.body) words.push('--body', JSON.stringify(rest))
    const { code, stdout, stderr } = await atrium([...words, ...(id.endsWith('del') ? ['--yes'] : [])])
    expect([code, stderr]).toEqual([0, ''])
    return JSON.parse(stdout)
  }
}

async function overMcp(caller: TestCaller): Promise<Call> {
  const client = await connect(p, caller, { answer: { action: 'accept', content: { confirm: true } } })
  const tools = { GET: 'call_read_operation', DELETE: 'call_delete_operation' } as Record<string, string>
  return async (id, input) => {
    const method = methodOf(lookUp(id) as Parameters<typeof methodOf>[0])
    const name = tools[method] ?? 'call_write_operation'
    const result = await client.callTool({ name, arguments: { operation: id, input } })
    expect(result.isError, textOf(result)).toBeFalsy()
    return result.structuredContent
  }
}

/** A morning on call. */
async function work(call: Call): Promise<void> {
  const rule = await call('issues.rules.post', {
    name: 'Payments',
    when: 'alert.fields["service"] == "pay"',
    actions: { fingerprint: ['fields.service', 'title'], severity: 'critical' },
  })
  const { items } = await call('issues.alerts.post', {
    alerts: [
      { title: 'Pay fails', fields: { service: 'pay' } },
      { title: 'Pay fails', fields: { service: 'pay' } },
      { title: 'Disk full', fingerprint: 'disk', resources: ['db-1'] },
      { title: 'No fingerprint' },
    ],
  })
  const made = await call('issues.post', { title: 'Customers complain', severity: 'low', body: 'About *payments*.' })
  await call('issues.patch', { id: made.id, status: 'triaging', title: 'Customers complain about payments' })
  await call('issues.merge', { id: made.id, intoId: items[0].issueId })
  await call('issues.split', { id: made.id })
  await call('issues.merge', { id: made.id, intoId: items[0].issueId })
  await call('issues.notes.post', { id: items[0].issueId, text: 'The pool, as in #1.', milestone: 'resolved' })
  const note = await call('issues.notes.post', { id: items[2].issueId, text: 'Wrong' })
  await call('issues.notes.patch', { id: items[2].issueId, noteId: note.id, text: 'Right' })
  await call('issues.rules.patch', { id: rule.id, enabled: false })
  await call('issues.patch', { id: items[2].issueId, status: 'dismissed', dismissReason: 'expected' })
}

const tables = ['issues', 'issue_activity', 'issue_timeline', 'issue_rules', 'issue_alerts', 'issue_counters']

/** Rows without what differs by nature: times, and ids, which are numbered as they appear. */
async function rowsOf({ workspaceId, userId }: TestCaller): Promise<string[]> {
  const seen = new Map<string, string>([
    [workspaceId, '<workspace>'],
    [userId, '<user>'],
  ])
  const plain = (text: string) =>
    text
      .replace(/\b(?:ws|usr|issue|issue_entry|issue_rule)_[0-9a-z]{24,32}\b/g, id => {
        if (!seen.has(id)) seen.set(id, `<${seen.size}>`)
        return seen.get(id) as string
      })
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)/g, '<time>')
      .replace(/"seq": ?\d+/g, '"seq": 0')
      .replace(/"actor_type": ?"\w+"/g, '"actor_type": ""')
  const found: string[] = []
  for (const table of tables) {
    const order = { issues: 'number', issue_timeline: 'seq', issue_alerts: 'seq' }[table] ?? '1'
    const rows = await p.database.query<{ row: string }>(sql`
      select to_jsonb(t)::text as row from ${raw(table)} t where t.workspace_id = ${workspaceId} order by ${raw(order)}`)
    found.push(
      ...rows.map(({ row }) => `${table} ${plain(row)}`).sort(table === 'issue_activity' ? undefined : () => 0),
    )
  }
  return found
}

it('a morning on call leaves the same rows, whichever way it was worked', { timeout: 120_000 }, async () => {
  const callers = await Promise.all([1, 2, 3].map(async () => await p.key(await p.user())))
  const [rest, line, agent] = callers as [TestCaller, TestCaller, TestCaller]
  await work(await overRest(rest))
  await work(await overCommandLine(line))
  await work(await overMcp(agent))
  const rows = await rowsOf(rest)
  expect(rows.length).toBeGreaterThan(20)
  expect(await rowsOf(line)).toEqual(rows)
  expect(await rowsOf(agent)).toEqual(rows)
})
