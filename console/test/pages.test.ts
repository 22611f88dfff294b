// Every page in light and dark: nothing for axe to find, a title and a heading of its own, no foreign request.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import {
  faultsOf,
  inBrowser,
  type Person,
  person,
  picture,
  type Scheme,
  settled,
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

async function look(page: Page, address: string, name: string, scheme: Scheme): Promise<string[]> {
  await page.goto(address)
  await page.locator('h1').first().waitFor()
  await settled(page)
  expect(await page.locator('h1').count(), `${name}: headings`).toBe(1)
  expect(await page.title(), `${name}: title`).toMatch(/· Atrium$|^Atrium$/)
  await picture(page, `${name}-${scheme}`)
  return (await faultsOf(page)).map(fault => `${name}: ${fault}`)
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

  for (const scheme of ['light', 'dark'] as const) {
    it(`is sound before log-in (${scheme})`, async () => {
      const { page, context, faults } = await visitor({ scheme })
      for (const [name, address] of outside) faults.push(...(await look(page, address, name, scheme)))
      expect(faults).toEqual([])
      await context.close()
    })

    it(`is sound in a workspace (${scheme})`, async () => {
      const someone = await person({ scheme })
      const made = await furnish(someone)
      const { page, workspaceId, faults } = someone
      for (const [name, address] of inside) {
        faults.push(...(await look(page, `/w/${workspaceId}${address(made)}`, name, scheme)))
      }
      expect(faults).toEqual([])
      await someone.context.close()
    })

    it(`is sound in one’s own corner (${scheme})`, async () => {
      const { page, context, faults } = await person({ scheme })
      for (const name of mine) faults.push(...(await look(page, `/me/${name}`, `me-${name}`, scheme)))
      expect(faults).toEqual([])
      await context.close()
    })
  }
})
