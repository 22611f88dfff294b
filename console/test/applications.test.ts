// The story of an application: registered in the console, let in at the consent page, shut out again.
import { hash } from 'node:crypto'
import { expect, it } from 'vitest'
import { faultsOf, inBrowser, password, person, picture, url, useBrowser, visitor } from './helpers/browser.ts'

inBrowser('an application', () => {
  useBrowser()

  it('is registered, let in, seen and shut out', async () => {
    const { page, context, workspaceId, email } = await person()
    await page.goto(`/w/${workspaceId}/oauth_clients/new`)
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText('Add the address that people are sent back to').waitFor()
    expect(await faultsOf(page)).toEqual([])
    await page.getByRole('textbox', { name: 'Name' }).fill('Release notes')
    await page.getByRole('combobox', { name: 'Type', exact: true }).click()
    await page.getByRole('option', { name: 'Confidential' }).click()
    const back = page.getByRole('combobox', { name: 'Redirect URIs' })
    await back.fill('https://app.example.com/callback')
    await back.press('Enter')
    await page.getByLabel('teams:read').check()
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText('Copy the secret now').waitFor()
    expect(await faultsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'I have copied it' }).click()
    await page.waitForURL(/oauth_clients\/oauth_client_/)
    const clientId = page.url().split('/').at(-1) ?? ''
    await page.getByRole('tab', { name: 'Consents' }).click()
    await page.getByText('No consents yet').waitFor()

    const asked = new URLSearchParams({
      client_id: clientId,
      response_type: 'code',
      redirect_uri: 'https://app.example.com/callback',
      scope: 'teams:read',
      resource: `${url}/v1`,
      state: 'kept',
      code_challenge: hash('sha256', 'v'.repeat(43), 'base64url'),
      code_challenge_method: 'S256',
    })
    await page.route('https://app.example.com/**', route => route.fulfill({ status: 200, body: 'back' }))
    // Whoever is not logged in can also sign up or set a new password, and comes back.
    const other = await visitor()
    await other.page.goto(`/oauth/authorize?${asked}`)
    await other.page.getByLabel('E-mail address or username').and(other.page.locator(':focus')).waitFor()
    await picture(other.page, 'consent-login')
    await other.page.getByRole('link', { name: 'Forgot your password?' }).waitFor()
    await other.page.getByRole('link', { name: 'Sign up' }).click()
    await other.page.getByRole('link', { name: 'Log in' }).click()
    await other.page.getByLabel('E-mail address or username').fill(email)
    await other.page.getByRole('textbox', { name: 'Password' }).fill(password)
    await other.page.getByRole('button', { name: 'Log in' }).click()
    await other.page.getByText('Release notes').first().waitFor()
    await other.context.close()
    await page.goto(`/oauth/authorize?${asked}`)
    await page.getByText('Release notes').first().waitFor()
    await picture(page, 'consent')
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.waitForURL(/app\.example\.com\/callback\?.*code=/)

    await page.goto('/me/applications')
    await page.getByText('Release notes').waitFor()
    expect(await faultsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Revoke Release notes' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('No application acts for you').waitFor()
    await context.close()
  })

  it('is one more tool that agents may or may not run', async () => {
    const { page, context, workspaceId, client } = await person()
    await page.goto(`/w/${workspaceId}/agent_tools`)
    await page.getByLabel('Find a tool').fill('delete a team')
    const cell = page.getByRole('button', { name: /^teams_del for people/ })
    expect(await cell.getAttribute('aria-label')).toContain('Allow')
    // What no agent may run is not shown as allowed.
    for (const kind of ['private', 'hypothesis', 'investigation', 'automation', 'autofix']) {
      const label = await page
        .getByRole('button', { name: new RegExp(`^teams_del for ${kind}`) })
        .getAttribute('aria-label')
      expect(label).toContain('Deny. The default: tools that delete are denied')
    }
    await cell.click()
    await page.getByText('The policy is changed.').waitFor()
    expect(await faultsOf(page)).toEqual([])
    await page.getByLabel('Find a tool').fill('team')
    await page.getByLabel('Choose teams_get').check()
    await page.getByLabel('Choose teams_list').check()
    await page.getByRole('combobox', { name: 'Kind of caller' }).click()
    await page.getByRole('option', { name: 'Automation' }).click()
    await page.getByRole('button', { name: 'Deny', exact: true }).click()
    await page.getByText('2 policies changed.').waitFor()
    const listed = await client.call('agent_tools.get', { workspaceId, name: 'teams_list' })
    expect(listed.policy.perKind.automation).toBe('deny')
    const { policy } = await client.call('agent_tools.get', { workspaceId, name: 'teams_del' })
    expect(policy).toMatchObject({ mode: 'deny', inherited: false })
    await context.close()
  })

  it('is asked about where the workspace wants that, and a person decides', async () => {
    const { page, context, workspaceId, client } = await person()
    const name = 'teams_post'
    await client.call('agent_tools.patch', { workspaceId, name, mode: 'approve' })
    const args = { name: 'Difference Engine' }
    await client.call('agent_tools.run', { workspaceId, name, args, reason: 'The user asked for a team.' })
    await page.goto(`/w/${workspaceId}/agent_tools`)
    const waiting = page.getByRole('group', { name: 'teams_post waits for approval' })
    await waiting.getByText('The user asked for a team.').waitFor()
    await waiting.getByText('Difference Engine').waitFor()
    expect(await faultsOf(page)).toEqual([])
    await waiting.getByLabel('Note').fill('As discussed.')
    await waiting.getByRole('button', { name: 'Approve teams_post' }).click()
    await page.getByText('The call is approved.').waitFor()
    await waiting.waitFor({ state: 'detached' })
    const { items } = await client.call('agent_tools.approvals.list', { workspaceId })
    expect(items[0]).toMatchObject({ status: 'approved', note: 'As discussed.' })
    await context.close()
  })
})
