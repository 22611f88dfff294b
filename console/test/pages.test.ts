// Every page in light and dark: nothing for axe to find, a title and a heading of its own, no foreign request.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import {
  faultsOf,
  inBrowser,
  type Person,
  person,
  picture,
  settled,
  signUp,
  url,
  useBrowser,
  visitor,
} from './helpers/browser.ts'

const outside: [string, string][] = [
  ['login', '/login'],
  ['signup', '/signup'],
  ['verify', '/verify?email=ada%40example.com'],
  ['forgot', '/forgot'],
  ['reset', '/reset?email=ada%40example.com'],
  ['invite', '/invite#inv_x'],
  ['invite-none', '/invite'],
]

type Made = { keyId: string; teamId: string; clientId: string }

const inside: [string, (made: Made) => string][] = [
  ['overview', () => ''],
  ['keys', () => '/keys'],
  ['keys-new', () => '/keys/new'],
  ['key', ({ keyId }) => `/keys/${keyId}`],
  ['members', () => '/members'],
  ['members-invite', () => '/members?invite=true'],
  ['teams', () => '/teams'],
  ['team', ({ teamId }) => `/teams/${teamId}`],
  ['settings', () => '/settings'],
  ['connect', () => '/connect'],
  ['oauth-clients', () => '/oauth_clients'],
  ['oauth-client-new', () => '/oauth_clients/new'],
  ['oauth-client', ({ clientId }) => `/oauth_clients/${clientId}`],
  ['agent-tools', () => '/agent_tools'],
  ['audit-log', () => '/audit_log'],
  ['area', () => '/a/teams'],
  ['area-new', () => '/a/teams/new'],
  ['area-record', ({ teamId }) => `/a/teams/${teamId}`],
  ['missing', () => '/nowhere'],
]

const mine = ['profile', 'password', 'sessions', 'notifications', 'applications', 'privacy']

/** The page as it stands, in light and then in dark; what is not a matter of colour is looked for once. */
async function look(page: Page, name: string): Promise<string[]> {
  await picture(page, `${name}-light`)
  const found = await faultsOf(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  // The server's own pages follow the browser by themselves.
  await page.waitForFunction(() => (document.documentElement.dataset.mantineColorScheme ?? 'dark') === 'dark')
  await picture(page, `${name}-dark`)
  found.push(...(await faultsOf(page, ['color-contrast', 'link-in-text-block'])))
  await page.emulateMedia({ colorScheme: 'light' })
  return found.map(fault => `${name}: ${fault}`)
}

async function open(page: Page, address: string, name: string): Promise<void> {
  await page.goto(address)
  await page.locator('h1').first().waitFor()
  await settled(page)
  expect(await page.locator('h1').count(), `${name}: headings`).toBe(1)
  expect(await page.title(), `${name}: title`).toMatch(/· Atrium$|^Atrium$/)
}

async function furnish({ client, workspaceId }: Person): Promise<Made> {
  const key = await client.call('api_keys.post', {
    workspaceId,
    name: 'Nightly export',
    scopes: ['workspaces:read', 'teams:read'],
  })
  await client.call('api_keys.post', { workspaceId, name: 'Release robot', scopes: [] })
  await fetch(`${url}/v1/workspaces/${workspaceId}`, { headers: { 'x-api-key': key.token } })
  const team = await client.call('teams.post', { workspaceId, name: 'Difference Engine', description: 'Builds it' })
  await client.call('workspace_members.invites.post', { workspaceId, email: 'grace@example.com', position: 'member' })
  const application = await client.call('oauth_clients.post', {
    workspaceId,
    name: 'Release notes',
    type: 'confidential',
    scopes: ['teams:read'],
    redirectUris: ['https://app.example.com/callback'],
  })
  return { keyId: key.id, teamId: team.id, clientId: application.id }
}

inBrowser('every page', () => {
  useBrowser()

  it('is sound before log-in', async () => {
    const { page, context, faults } = await visitor()
    for (const [name, address] of outside) {
      await open(page, address, name)
      faults.push(...(await look(page, name)))
    }
    expect(faults).toEqual([])
    await context.close()
  })

  it('is sound where mails are kept', async () => {
    await signUp(`mailed${Date.now()}@example.com`)
    const { page, context, faults } = await visitor()
    await open(page, '/dev/mailbox', 'mailbox')
    faults.push(...(await look(page, 'mailbox')))
    expect(faults).toEqual([])
    await context.close()
  })

  it('is sound in a workspace', async () => {
    const someone = await person()
    const made = await furnish(someone)
    const { page, workspaceId, faults } = someone
    for (const [name, address] of inside) {
      await open(page, `/w/${workspaceId}${address(made)}`, name)
      faults.push(...(await look(page, name)))
    }
    expect(faults).toEqual([])
    await someone.context.close()
  })

  it('is sound in one’s own corner', async () => {
    const { page, context, faults } = await person()
    for (const name of mine) {
      await open(page, `/me/${name}`, name)
      faults.push(...(await look(page, `me-${name}`)))
    }
    expect(faults).toEqual([])
    await context.close()
  })
})
