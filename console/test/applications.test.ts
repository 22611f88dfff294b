// The story of an application: registered in the console, let in at the consent page, shut out again.
import { hash } from 'node:crypto'
import { expect, it } from 'vitest'
import { faultsOf, inBrowser, person, picture, url, useBrowser } from './helpers/browser.ts'

inBrowser('an application', () => {
  useBrowser()

  it('is registered, let in, seen and shut out', async () => {
    const { page, context, workspaceId } = await person()
    await page.goto(`/w/${workspaceId}/oauth_clients/new`)
    await page.getByRole('button', { name: 'Create the client' }).click()
    await page.getByText('Say where people are sent back to').waitFor()
    expect(await faultsOf(page)).toEqual([])
    await page.getByRole('textbox', { name: 'Name' }).fill('Release notes')
    await page.getByRole('radio', { name: 'Confidential' }).check()
    const back = page.getByRole('combobox', { name: 'Addresses to come back to' })
    await back.fill('https://app.example.com/callback')
    await back.press('Enter')
    await page.getByLabel('teams:read').check()
    await page.getByRole('button', { name: 'Create the client' }).click()
    await page.getByText('Copy the secret now').waitFor()
    expect(await faultsOf(page)).toEqual([])
    const clientId = (await page.locator('[data-copy-value]').first().textContent()) ?? ''
    await page.getByRole('button', { name: 'I have copied it' }).click()
    await page.getByText('Nobody yet').waitFor()

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
    await page.goto(`/oauth/authorize?${asked}`)
    await page.getByText('Release notes').first().waitFor()
    await picture(page, 'consent')
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.waitForURL(/app\.example\.com\/callback\?.*code=/)

    await page.goto('/me/applications')
    await page.getByText('Release notes').waitFor()
    expect(await faultsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Shut out Release notes' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Shut it out' }).click()
    await page.getByText('No application acts for you').waitFor()
    await context.close()
  })

  it('is one more tool that agents may or may not run', async () => {
    const { page, context, workspaceId, client } = await person()
    await page.goto(`/w/${workspaceId}/agent_tools`)
    await page.getByLabel('Find a tool').fill('delete a team')
    await page.getByRole('button', { name: 'Change the policy of teams_del' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('combobox', { name: 'Everybody' }).click()
    await page.getByRole('option', { name: 'Deny' }).first().click()
    expect(await faultsOf(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The policy is changed.').waitFor()
    const { policy } = await client.call('agent_tools.get', { workspaceId, name: 'teams_del' })
    expect(policy).toMatchObject({ mode: 'deny', inherited: false })
    await context.close()
  })
})
