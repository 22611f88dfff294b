// What goes wrong in the middle of a story leaves the person with their input and a way on.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { proposed } from './helpers/autofix.ts'
import {
  codeFor,
  enter,
  faultsOf,
  inBrowser,
  type Person,
  password,
  person,
  picture,
  signUp,
  useBrowser,
  visitor,
} from './helpers/browser.ts'
import {
  broken,
  type CallPattern,
  fail,
  faultsAgain,
  faultsInside,
  faultsOutside,
  lost,
  type Meeting,
  meet,
  meetEndOfSession,
} from './helpers/faults.ts'
import { stories } from './helpers/stories.ts'
import type { Made } from './helpers/story.ts'

async function furnish(someone: Person): Promise<Made> {
  const { client, workspaceId } = someone
  const guest = await person()
  const { token } = await client.call('workspace_members.invites.post', { workspaceId, position: 'member' })
  await guest.client.call('workspace_members.invites.accept', { token })
  await guest.context.close()
  const key = await client.call('api_keys.post', { workspaceId, name: 'Nightly export', scopes: [] })
  const team = await client.call('teams.post', { workspaceId, name: 'Difference Engine' })
  const other = await client.call('teams.post', { workspaceId, name: 'Reserve' })
  const application = await client.call('oauth_clients.post', {
    workspaceId,
    name: 'Printer',
    type: 'confidential',
    scopes: ['teams:read'],
    redirectUris: ['https://app.example.com/callback'],
  })
  await client.call('labels.post', { workspaceId, name: 'Database' })
  const issue = await client.call('issues.post', { workspaceId, title: 'Checkout answers 502' })
  const [name = ''] = guest.email.split('@')
  const thread = await client.call('threads.post', { workspaceId, name: 'Why checkout is slow' })
  const ids = { keyId: key.id, teamId: team.id, otherTeamId: other.id, clientId: application.id, issueId: issue.id }
  const webhook = await client.call('integrations.post', {
    workspaceId,
    name: 'Webhook',
    type: 'webhook',
    config: { url: 'https://hooks.invalid/atrium' },
    events: ['pages.*'],
  })
  const inbound = await client.call('integrations.post', {
    workspaceId,
    name: 'Inbound',
    type: 'inbound',
    config: { mapping: { title: 'payload.title' } },
  })
  const automation = await client.call('automations.post', {
    workspaceId,
    name: 'Wait a moment',
    triggers: [{ on: 'manual', form: { type: 'object', properties: { service: { type: 'string' } } } }],
    steps: [{ do: 'wait', with: { seconds: 1 } }],
    grants: [],
  })
  const connected = { webhookId: webhook.id, inboundId: inbound.id, automationId: automation.id }
  const account = { name: 'Cluster', provider: 'kubernetes' as const }
  const { id: cloudAccountId } = await client.call('cloud_accounts.post', { workspaceId, ...account })
  const node = await client.call('cloud_infra.nodes.post', { workspaceId, name: 'checkout', type: 'service' })
  await client.call('cloud_infra.nodes.post', { workspaceId, name: 'orders', type: 'database' })
  return {
    ...ids,
    ...connected,
    cloudAccountId,
    nodeId: node.id,
    threadId: thread.id,
    autofixId: await proposed(someone, thread.id),
    guest: name,
  }
}

async function walkOutside(page: Page, call: CallPattern, name: string): Promise<void> {
  const press = () => page.getByRole('button', { name, exact: true }).click()
  for (const fault of faultsOutside) await meet(fault, { page, call, press })
  expect(await faultsOf(page)).toEqual([])
  await press()
}

inBrowser('when something fails', () => {
  useBrowser()

  describe('after log-in', () => {
    let someone: Person
    let made: Made
    beforeAll(async () => {
      someone = await person()
      made = await furnish(someone)
    })
    beforeEach(async () => {
      // A story that failed may have left nobody logged in.
      const cookies = await someone.context.cookies()
      if (cookies.length === 0) await enter(someone.context, someone.token)
    })
    afterAll(() => someone.context.close())

    it.each(stories.map(story => [story.name, story] as const))('keeps the input of: %s', async (name, story) => {
      const { page, workspaceId } = someone
      const { call } = story
      const scene = { page, workspaceId, made, dialog: page.getByRole('dialog') }
      const press: Meeting['press'] = options => (story.again ?? story.press)(scene).click(options)
      const seen = async (fault: string) => {
        if (name === 'new key') await picture(page, `failure-${fault}`)
      }
      const meeting: Meeting = { page, call, press, seen }
      await story.open(scene)
      if (story.again) await fail(lost, { ...meeting, press: () => story.press(scene).click() })
      const faults = story.isPublic ? faultsOutside : story.again ? faultsAgain : faultsInside
      for (const fault of faults) await meet(fault, meeting)
      expect(await faultsOf(page)).toEqual([])
      if (!story.isPublic) await meetEndOfSession(meeting)
      await press()
      await story.done(scene).waitFor()
    })
  })

  it('keeps the input of whoever is not in yet', async () => {
    const { page, context } = await visitor()
    const email = `outside${Date.now()}@example.com`
    await page.goto('/signup')
    await page.getByLabel('E-mail address').fill(email)
    await page.getByRole('textbox', { name: 'Password' }).fill(password)
    await walkOutside(page, 'POST /v1/auth/signup', 'Sign up')
    await page.getByRole('heading', { name: 'Verify your address' }).waitFor()
    await page.getByLabel('Code').fill(await codeFor(email))
    await walkOutside(page, 'POST /v1/auth/verify_email', 'Verify')
    await page.getByRole('heading', { name: 'First steps' }).waitFor()

    await context.clearCookies()
    await page.goto('/login')
    await page.getByLabel('E-mail address or username').fill(email)
    await page.getByRole('textbox', { name: 'Password' }).fill(password)
    await walkOutside(page, 'POST /v1/auth/login', 'Log in')
    await page.getByRole('heading', { name: 'First steps' }).waitFor()
    await context.close()
  })

  it('keeps the input of whoever forgot the password', async () => {
    const email = `forgetful${Date.now()}@example.com`
    await signUp(email)
    const { page, context } = await visitor()
    await page.goto('/forgot')
    await page.getByLabel('E-mail address').fill(email)
    await walkOutside(page, 'POST /v1/auth/generate_password_reset', 'Mail me a code')
    await page.getByLabel('Code').fill(await codeFor(email, 'Reset your password'))
    await page.getByRole('textbox', { name: 'New password' }).fill('Another5Horse!')
    await walkOutside(page, 'POST /v1/auth/reset_password', 'Set the password')
    await page.getByRole('heading', { name: 'Log in' }).waitFor()
    await context.close()
  })

  it('keeps an invite through the end of a session', async () => {
    const host = await person()
    const { page, context } = await person()
    const { workspaceId, client } = host
    const { token } = await client.call('workspace_members.invites.post', { workspaceId, position: 'viewer' })
    await page.goto(`/invite#${token}`)
    const press: Meeting['press'] = options => page.getByRole('button', { name: 'Join the workspace' }).click(options)
    const meeting: Meeting = { page, call: 'POST /v1/workspace_members/', press }
    for (const fault of faultsInside) await meet(fault, meeting)
    await meetEndOfSession(meeting)
    await press()
    await page.waitForURL(`**/w/${workspaceId}`)
    await host.context.close()
    await context.close()
  })

  it('offers to try again where a list could not be read', async () => {
    const { page, context, workspaceId } = await person()
    await page.route('**/v1/teams/**', broken.answer)
    await page.goto(`/w/${workspaceId}/teams`)
    await page.getByRole('alert').waitFor()
    expect(await faultsOf(page)).toEqual([])
    await page.unroute('**/v1/teams/**')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('No teams yet').waitFor()
    await context.close()
  })

  it('goes on by itself once the service answers', async () => {
    const { page, context, workspaceId } = await person()
    await page.goto(`/w/${workspaceId}/teams`)
    await page.getByText('No teams yet').waitFor()
    await page.route('**/v1/**', route => route.abort())
    await page.getByRole('link', { name: 'API keys' }).click()
    const banner = page.getByText('No connection to the service')
    await banner.waitFor()
    await page.unroute('**/v1/**')
    await page.getByText('No API keys yet').waitFor({ timeout: 90_000 })
    await banner.waitFor({ state: 'detached' })
    await context.close()
  })

  it('leads to log-in where the session ended between two pages', async () => {
    const { page, context, workspaceId } = await person()
    await page.goto(`/w/${workspaceId}/teams`)
    await page.getByText('No teams yet').waitFor()
    await context.clearCookies()
    await page.getByRole('link', { name: 'Atrium, to the start' }).click()
    await page.getByRole('heading', { name: 'Log in' }).waitFor()
    await context.close()
  })
})
