// One walk over all areas as the menu offers them: list, record, form, a page past the end, phone, dark, and whoever may not.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { proposed } from './helpers/autofix.ts'
import { enter, faultsOf, inBrowser, type Person, person, settled, url, useBrowser } from './helpers/browser.ts'
import { pushed } from './helpers/cloud.ts'
import { example } from './helpers/example.ts'
import { look } from './helpers/look.ts'

/** A page of charts; its own test walks over it. */
const listless = ['analytics']
/** A grid of all tools, without pages. */
const unpaged = ['agent_tools', ...listless]

async function furnish({ client, workspaceId, token }: Person): Promise<void> {
  const scopes = ['workspaces:read', 'teams:read'] as const
  await client.call('api_keys.post', { workspaceId, name: 'Nightly export', scopes: [...scopes] })
  await client.call('teams.post', {
    workspaceId,
    name: 'Difference Engine',
    description: 'Builds it',
    color: '#0b7285',
  })
  await client.call('workspace_members.invites.post', { workspaceId, email: 'grace@example.com', position: 'member' })
  await client.call('labels.post', { workspaceId, name: 'Database', group: 'Component' })
  const issue = await client.call('issues.post', { workspaceId, title: 'Checkout answers 502', severity: 'critical' })
  await client.call('issues.publish', { workspaceId, id: issue.id })
  const known = await client.call('memories.post', {
    workspaceId,
    title: 'The pool holds 20',
    markdown: 'More **wait**.',
  })
  await client.call('memories.patch', { workspaceId, id: known.id, markdown: 'More than 20 **wait**.' })
  await client.call('repositories.post', { workspaceId, url: 'https://code.invalid/checkout.git', enabled: false })
  await client.call('skills.post', { workspaceId, slug: 'triage', description: 'Sorts issues.', body: 'Sort them.' })
  const { id: logs } = await client.call('datasets.post', { workspaceId, slug: 'checkout-logs', kind: 'logs' })
  await client.call('telemetry_tokens.post', { workspaceId, name: 'Checkout', routes: { logs } })
  const thread = await client.call('threads.post', { workspaceId, name: 'Why checkout is slow' })
  await client.call('messages.post', { workspaceId, threadId: thread.id, text: 'Where does it wait?' })
  await proposed({ client, workspaceId }, thread.id)
  await client.call('oauth_clients.post', {
    workspaceId,
    name: 'Release notes',
    type: 'confidential',
    scopes: ['teams:read'],
    redirectUris: ['https://app.example.com/callback'],
  })
  await client.call('integrations.post', {
    workspaceId,
    name: 'Pager of the checkout team',
    type: 'webhook',
    config: { url: 'https://hooks.invalid/atrium' },
    events: ['pages.*'],
  })
  const automation = await client.call('automations.post', {
    workspaceId,
    name: 'Wait a moment',
    triggers: [{ on: 'manual' }, { on: 'schedule', cron: '0 9 * * 1-5', timezone: 'Europe/Berlin' }],
    steps: [{ do: 'wait', with: { seconds: 1 } }],
    grants: [],
  })
  await client.call('automations.trigger', { workspaceId, id: automation.id })
  await pushed({ client, workspaceId })
  await example({ token, workspaceId })
}

/** The addresses of all areas, as the menu names them. */
async function areasIn(page: Page, workspaceId: string): Promise<string[]> {
  await page.goto(`/w/${workspaceId}`)
  await settled(page)
  const found = await page
    .locator('nav section a')
    .evaluateAll(links => links.map(link => new URL((link as HTMLAnchorElement).href).pathname))
  return found.filter(path => path.startsWith(`/w/${workspaceId}/`) && !/\/(billing|settings|connect)$/.test(path))
}

inBrowser('every area', () => {
  useBrowser()

  it('has a list, a record and a form that are sound', async () => {
    const someone = await person()
    await furnish(someone)
    const { page, workspaceId, faults } = someone
    const areas = await areasIn(page, workspaceId)
    expect(areas.length).toBeGreaterThanOrEqual(7)
    const bare: string[] = []
    for (const area of areas) {
      const name = area.split('/').at(-1) ?? ''
      await page.goto(area)
      faults.push(...(await look(page, `area-${name}`)))
      const row = page.locator('[data-row]').first()
      const href = (await row.count()) > 0 ? await row.getAttribute('href') : null
      if (!href) {
        if (!listless.includes(name)) bare.push(name)
      } else {
        await page.goto(href)
        faults.push(...(await look(page, `area-${name}-record`)))
        for (const tab of await page.getByRole('tab').all()) {
          await tab.click()
          await settled(page)
          const title = await tab.textContent()
          faults.push(...(await faultsOf(page)).map(fault => `${name} ${title}: ${fault}`))
        }
      }
      await page.goto(`${area}/new`)
      faults.push(...(await look(page, `area-${name}-new`)))
    }
    expect(faults).toEqual([])
    // An area that joins is furnished above, so that its record is walked too.
    expect(bare).toEqual([])
    await someone.context.close()
    // Half a minute for each area on a busy machine, and there will be nineteen.
  }, 900_000)

  it('leads from a page past the end to the last one', async () => {
    const someone = await person()
    await furnish(someone)
    const { page, workspaceId, context } = someone
    for (const area of await areasIn(page, workspaceId)) {
      if (unpaged.some(name => area.endsWith(name))) continue
      await page.goto(`${area}?page=99`)
      await page.locator('[data-row]').first().waitFor()
      expect(page.url(), area).not.toContain('page=99')
    }
    await context.close()
  })

  it('says what is there when nothing is, or nothing matches', async () => {
    const { page, context, workspaceId } = await person()
    const faults: string[] = []
    const empty: string[] = []
    const closed: string[] = []
    for (const area of await areasIn(page, workspaceId)) {
      await page.goto(area)
      await settled(page)
      const hasRows = (await page.locator('main [data-row], main tbody tr').count()) > 0
      if (hasRows && (await page.getByRole('textbox', { name: /^Search / }).count()) > 0) {
        await page.goto(`${area}?q=nothing-is-called-so`)
        await page.getByText('Nothing matches').waitFor()
      } else if (!hasRows && !listless.some(name => area.endsWith(name))) {
        const name = area.split('/').at(-1) ?? ''
        empty.push(name)
        await page.getByText(/^No .+ yet$/).waitFor()
        if ((await page.getByRole('link', { name: /^New / }).count()) === 0) closed.push(name)
      }
      faults.push(...(await faultsOf(page)).map(fault => `${area}: ${fault}`))
    }
    expect(faults).toEqual([])
    expect(empty.length).toBeGreaterThanOrEqual(4)
    // The audit log writes itself, and pages are published where their source is shown; everything else can be begun
    // where it is missing.
    expect(closed.filter(name => name !== 'audit_log' && name !== 'pages')).toEqual([])
    await context.close()
  })

  it('asks the service for nothing that a viewer may not have', async () => {
    const host = await person()
    await furnish(host)
    const areas = await areasIn(host.page, host.workspaceId)
    const guest = await person()
    const { workspaceId, client } = host
    const { token } = await client.call('workspace_members.invites.post', { workspaceId, position: 'viewer' })
    await createClient({ baseUrl: url, token: guest.token }).call('workspace_members.invites.accept', { token })
    await enter(guest.context, guest.token)
    const { page } = guest
    const refused: string[] = []
    page.on('response', answer => {
      if (answer.status() === 403) refused.push(answer.url())
    })
    await page.goto(`/w/${workspaceId}`)
    await page.getByText('You are a viewer here').waitFor()
    expect(await faultsOf(page)).toEqual([])
    let closed = 0
    for (const area of areas) {
      for (const address of [area, `${area}/new`]) {
        await page.goto(address)
        await settled(page)
        await page.locator('h1').waitFor()
      }
      // Nobody fills in what they may not send: each form is closed, or there is none.
      expect(await page.locator('main').getByRole('textbox').count(), area).toBe(0)
      const isClosed = (await page.getByText('You may not open this page').count()) > 0
      if (isClosed && closed++ === 0) expect(await look(page, 'not-allowed')).toEqual([])
      if (!isClosed) await page.getByText('Nothing is at this address').waitFor()
    }
    expect(closed).toBeGreaterThanOrEqual(4)
    await page.goto(`/w/${workspaceId}/settings`)
    await settled(page)
    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0)
    expect(refused).toEqual([])
    const { count } = await client.call('audit_logs.list', { workspaceId, outcome: 'denied' })
    expect(count).toBe(0)
    await host.context.close()
    await guest.context.close()
  })
})
