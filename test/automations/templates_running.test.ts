// Each template, installed and started by what it waits for, on a whole platform.
import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Step } from '../../src/areas/automations/fields/contract.ts'
import { gallery } from '../../src/areas/automations/templates/gallery.ts'
import { sql } from '../../src/kit/sql.ts'
import { platform, type TestCaller, type TestPlatform } from '../helpers/platform.ts'
import { commit, mirrored, newRepository, repositoriesIn, write } from '../helpers/repositories.ts'
import { status as answering, receiver } from '../integrations/receivers.ts'

const email = 'templates@example.com'
const patience = { timeout: 30_000, interval: 100 }
let p: TestPlatform
let owner: TestCaller
let workspaceId: string
const done = new Set<string>()

beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
  owner = await p.user(email)
  workspaceId = owner.workspaceId
})
afterAll(() => p.close())

type Installed = { id: string; hookUrl: string | null; hookSecret: string | null; steps: Step[] }

/** A refusal is shown in words. */
async function made<T>(id: string, input: object, by = owner): Promise<T> {
  const { result, error } = await p.call(id, { workspaceId, ...input }, by)
  expect(error, id).toBeNull()
  return result
}

async function install(template: string, inputs: object = {}, enabled = true): Promise<Installed> {
  done.add(template)
  return await made('automations.templates.install', { template, inputs, enabled })
}

/** Where an agent would work, a script does: models are no part of this. */
async function installScripted(template: string, inputs: object): Promise<Installed> {
  const { id, steps } = await install(template, inputs, false)
  const script = { runner: 'script', steps: [{ say: 'Looked, and found nothing.' }] }
  const scripted = steps.map(step => (/thread$/.test(step.do) ? { ...step, with: { ...step.with, ...script } } : step))
  return await made('automations.patch', { id, steps: scripted, enabled: true })
}

type Execution = {
  id: string
  status: string
  threadId: string | null
  steps: { path: string; status: string; error: string | null; waitsFor: string | null; output: unknown }[]
}

const executionsOf = async (id: string): Promise<Execution[]> =>
  (await made<{ items: Execution[] }>('automations.executions.list', { id })).items

async function until(id: string, status: string): Promise<Execution> {
  const newest = async () => {
    const [one] = await executionsOf(id)
    return one ? await made<Execution>('automations.executions.get', { id, executionId: one.id }) : undefined
  }
  await vi.waitFor(async () => {
    const { status: is = 'none', steps = [] } = (await newest()) ?? {}
    // What went wrong is shown where a test fails.
    expect([is, ...steps.flatMap(({ error }) => error ?? [])]).toEqual([status])
  }, patience)
  return (await newest()) as Execution
}

/** Its time has come, for so many times in all. */
async function fire(id: string, times = 1): Promise<void> {
  await p.database.query(sql`update automation_schedules set next_at = ${p.now()} where automation_id = ${id}`)
  await p.platform.jobs.runNow('automations.fire')
  await vi.waitFor(async () => expect(await executionsOf(id)).toHaveLength(times), patience)
}

const issuesNamed = async (q: string) =>
  (await made<{ items: { id: string; severity: string; occurrences: number }[] }>('issues.list', { q })).items

const notesOf = async (id: string) =>
  (await made<{ items: { text: string | null }[] }>('issues.timeline.list', { id, perPage: 100 })).items.flatMap(
    ({ text }) => text ?? [],
  )

describe('by events', () => {
  it('investigates a new critical issue, and no other', async () => {
    const { id } = await install('investigate-critical-issues')
    await made('issues.post', { title: 'Slow at times', severity: 'low' })
    await made('issues.post', { title: 'Checkout is down', severity: 'critical' })
    const { steps } = await until(id, 'succeeded')
    expect(steps[0]?.output).toMatchObject({ type: 'investigation', _object: 'thread' })
    expect(await executionsOf(id)).toHaveLength(1)
  })

  it('pages on-call, and says on the issue where that did not go well', async () => {
    const pager = await receiver()
    const config = { url: pager.url, method: 'POST' }
    const custom = await made<{ id: string }>('integrations.post', { name: 'Pager', type: 'custom', config })
    const { id } = await install('page-on-error-spike', { integrationId: custom.id, occurrences: 1 })
    const send = (title: string) => made('issues.alerts.post', { alerts: [{ title, fingerprint: title }] })
    await send('Errors of one kind')
    expect((await until(id, 'succeeded')).steps.map(({ status }) => status)).toEqual(['succeeded', 'skipped'])
    expect(JSON.parse(pager.received[0]?.body ?? '')).toMatchObject({ title: 'Errors of one kind', occurrences: 1 })
    pager.replyWith(answering(500))
    await send('Errors of another kind')
    await vi.waitFor(async () => {
      const [issue] = await issuesNamed('Errors of another kind')
      expect(await notesOf(issue?.id ?? '')).toContain('Nobody was paged: the integration answered 500.')
    }, patience)
    pager.close()
  })

  it('asks, then applies an autofix that was approved', async () => {
    const { id } = await install('apply-approved-autofixes', { target: 'branch' })
    const folder = newRepository(join(repositoriesIn(), `templates-${process.pid}`))
    write(folder, { 'README.md': '# Small\n\nTODO: grow.\n' })
    commit(folder, 'Begin')
    const repositoryId = await mirrored(p, owner, folder.slice(repositoriesIn().length + 1))
    const patch = '--- a/README.md\n+++ b/README.md\n@@ -1,3 +1,3 @@\n # Small\n \n-TODO: grow.\n+Grown.\n'
    const issue = await made<{ id: string }>('issues.post', { title: 'The README is small' })
    const fields = { repositoryId, title: 'Grow the README', patch, issueId: issue.id }
    const autofix = await made<{ id: string }>('autofixes.post', fields)
    await made('autofixes.approve', { id: autofix.id }, await p.as('admin', workspaceId))
    const { steps } = await until(id, 'waiting')
    await made('agent_tools.approvals.decide', { approvalId: steps[0]?.waitsFor, decision: 'approve' })
    await until(id, 'succeeded')
    expect(await made('autofixes.get', { id: autofix.id })).toMatchObject({ status: 'applied' })
    expect((await notesOf(issue.id)).some(text => text.includes('An autofix was applied: Grow the README'))).toBe(true)
  })

  it('mails of a new page', async () => {
    const { id } = await install('announce-pages', { to: [email] })
    const issue = await made<{ id: string }>('issues.post', { title: 'Worth a page' })
    await made('issues.publish', { id: issue.id, title: 'All about it' })
    await until(id, 'succeeded')
    expect((await p.mails(email)).at(-1)?.text).toContain('All about it')
    await made('automations.patch', { id, enabled: false })
  })

  it('welcomes whoever joins', async () => {
    const { id } = await install('welcome-new-members', { text: 'The kettle is on the left.' })
    const guest = await p.user('guest@example.com')
    const { token } = await made<{ token: string }>('workspace_members.invites.post', { position: 'member' })
    expect((await p.call('workspace_members.invites.accept', { token }, guest)).error).toBeNull()
    await until(id, 'succeeded')
    expect((await p.mails('guest@example.com')).at(-1)?.text).toContain('The kettle is on the left.')
  })

  it('opens an issue for an integration that was disabled', async () => {
    const { id } = await install('failing-integrations', { severity: 'medium' })
    const gone = await receiver(answering(410))
    const fields = { name: 'Gone for good', type: 'webhook', config: { url: gone.url }, events: ['labels.post'] }
    await made('integrations.post', fields)
    await made('labels.post', { name: 'anything' })
    await until(id, 'succeeded')
    expect(await issuesNamed('The integration Gone for good fails')).toMatchObject([{ severity: 'medium' }])
    gone.close()
  })
})

describe('by a schedule', () => {
  it('asks on an old issue, once in the time that it is given', async () => {
    const { id } = await install('stale-issues', { hours: 48 })
    const [old, young] = [
      await made<{ id: string }>('issues.post', { title: 'Old and open' }),
      await made<{ id: string }>('issues.post', { title: 'Young and open' }),
    ]
    const then = new Date(p.now().getTime() - 72 * 3_600_000)
    await p.database.query(sql`update issues set created = ${then}, updated = ${then} where id = ${old.id}`)
    await p.database.query(sql`update issue_timeline set at = ${then} where issue_id = ${old.id}`)
    for (const times of [1, 2]) {
      await fire(id, times)
      await until(id, 'succeeded')
      const asked = (await notesOf(old.id)).filter(text => text.startsWith('Nothing happened here for 48 hours.'))
      expect(asked).toHaveLength(1)
    }
    expect((await notesOf(young.id)).some(text => text.startsWith('Nothing happened'))).toBe(false)
  })

  it('names keys that are not used, each on one issue', async () => {
    const [unused, used] = [await p.key(owner), await p.key(owner)]
    const then = new Date(p.now().getTime() - 800 * 3_600_000)
    await p.database.query(sql`update api_keys set created = ${then} where id in (${unused.id}, ${used.id})`)
    await p.database.query(sql`update api_keys set last_active = ${p.now()} where id = ${used.id}`)
    const { id } = await install('unused-api-keys')
    for (const times of [1, 2]) {
      await fire(id, times)
      await until(id, 'succeeded')
      expect(await issuesNamed('An API key is unused')).toMatchObject([{ occurrences: times }])
    }
  })

  it('lets an agent review dependencies', async () => {
    const { id } = await installScripted('nightly-dependency-review', { repositoryId: `repo_${'b'.repeat(24)}` })
    await fire(id)
    // Up to ten minutes later, so that not everything starts on the hour.
    const [delayed] = await executionsOf(id)
    expect(delayed?.status).toBe('delayed')
    p.advance(600_000)
    await p.platform.jobs.runNow('automations.run', { id: delayed?.id })
    expect((await until(id, 'succeeded')).threadId).toMatch(/^thrd_/)
  })

  it('publishes and mails a digest', async () => {
    const { id } = await installScripted('weekly-digest', { to: [owner.userId] })
    await fire(id)
    const { steps } = await until(id, 'succeeded')
    expect(steps[1]?.output).toMatchObject({ title: 'Weekly digest', visibility: 'workspace', _object: 'page' })
    expect((await p.mails(email)).at(-1)?.text).toContain('What happened last week')
  })
})

describe('from outside and by hand', () => {
  it('opens an issue for a failed deploy that is signed, and for no other', async () => {
    const { id, hookUrl, hookSecret } = await install('failed-deploys')
    const send = (body: object, secret = hookSecret ?? '') => {
      const payload = JSON.stringify(body)
      const signature = `sha256=${createHmac('sha256', secret).update(payload).digest('hex')}`
      const headers = { 'content-type': 'application/json', 'x-signature': signature }
      return p.request({ method: 'POST', url: new URL(hookUrl ?? '').pathname, headers, payload })
    }
    expect((await send({ service: 'search', status: 'failed' }, 'another')).status).toBe(401)
    expect((await send({ service: 'search', status: 'succeeded' })).status).toBe(202)
    await until(id, 'skipped')
    expect((await send({ service: 'checkout', status: 'failed', version: '1.4.2' })).status).toBe(202)
    await until(id, 'succeeded')
    expect(await issuesNamed('The deploy of')).toMatchObject([{ severity: 'high' }])
  })

  it('declares an incident: issue, mail and thread', async () => {
    const { id } = await installScripted('declare-incident', { to: [email] })
    const input = { service: 'payments', what: 'Nobody can pay.', severity: 'critical' }
    expect((await p.call('automations.trigger', { workspaceId, id, input: {} }, owner)).status).toBe(400)
    await made('automations.trigger', { id, input })
    const { threadId } = await until(id, 'succeeded')
    const [issue] = await issuesNamed('Incident: payments')
    expect(await made('threads.get', { id: threadId })).toMatchObject({ issueId: issue?.id, type: 'investigation' })
    expect((await p.mails(email)).at(-1)?.text).toContain('Nobody can pay.')
  })
})

describe('the operations', () => {
  it('list every template for everybody, and each was tried here', async () => {
    const { result } = await p.call('automations.templates', {}, null)
    expect(result.items).toEqual(JSON.parse(JSON.stringify(gallery)))
    expect([...done].sort()).toEqual(gallery.map(({ slug }) => slug).sort())
  })
})
