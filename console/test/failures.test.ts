// What goes wrong in the middle of a story leaves the person with their input and a way on.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { faultsOf, inBrowser, password, person, picture, useBrowser } from './helpers/browser.ts'

const failure = (message: string, detail: string, metadata = {}) =>
  JSON.stringify({ success: false, message: null, error: { message, detail, metadata } })

async function begin(page: Page, workspaceId: string): Promise<void> {
  await page.goto(`/w/${workspaceId}/keys/new`)
  await page.getByLabel('Name').fill('Kept through it all')
  await page.getByLabel('teams:read').check()
}

/** The input is still there, and the same button now does it. */
async function finish(page: Page): Promise<void> {
  expect(await page.getByLabel('Name').inputValue()).toBe('Kept through it all')
  expect(await page.getByLabel('teams:read').isChecked()).toBe(true)
  await page.getByRole('button', { name: 'Create the key' }).click()
  await page.getByText('Copy the secret now').waitFor()
}

inBrowser('when something fails', () => {
  useBrowser()

  it('survives a lost connection', async () => {
    const { page, context, workspaceId } = await person()
    await begin(page, workspaceId)
    await context.setOffline(true)
    await page.getByRole('button', { name: 'Create the key' }).click()
    await page.getByRole('alert').getByText('No connection').waitFor()
    await page.getByText('No connection to the service').waitFor()
    await picture(page, 'failure-connection')
    expect(await faultsOf(page)).toEqual([])
    await context.setOffline(false)
    await finish(page)
    await context.close()
  })

  it('asks for the password again when the session ended', async () => {
    const { page, context, workspaceId, email } = await person()
    await begin(page, workspaceId)
    await context.clearCookies()
    await page.getByRole('button', { name: 'Create the key' }).click()
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.waitFor()
    await picture(page, 'failure-session')
    expect(await faultsOf(page)).toEqual([])
    expect(await dialog.getByLabel('E-mail address or username').inputValue()).toBe(email)
    await dialog.getByRole('textbox', { name: 'Password' }).fill(password)
    await dialog.getByRole('button', { name: 'Log in' }).click()
    await dialog.waitFor({ state: 'detached' })
    await finish(page)
    await context.close()
  })

  it('waits out a limit', async () => {
    const { page, context, workspaceId } = await person()
    await begin(page, workspaceId)
    await page.route(
      '**/v1/api_keys',
      route =>
        route.fulfill({
          status: 429,
          headers: { 'retry-after': '2', 'content-type': 'application/json' },
          body: failure('Slow down', 'Over 5000 requests in 60 seconds; wait a minute and go on.'),
        }),
      { times: 1 },
    )
    await page.getByRole('button', { name: 'Create the key' }).click()
    await page.getByRole('alert').getByText('Slow down').waitFor()
    await page.getByText(/You can go on in \d seconds/).waitFor()
    await picture(page, 'failure-limit')
    expect(await faultsOf(page)).toEqual([])
    await finish(page)
    await context.close()
  })

  it('tells the request id of an internal error', async () => {
    const { page, context, workspaceId } = await person({ scheme: 'dark' })
    await begin(page, workspaceId)
    await page.route(
      '**/v1/api_keys',
      route =>
        route.fulfill({
          status: 500,
          contentType: 'application/json',
          body: failure('Internal error', 'Something went wrong on our side; try again.', { requestId: 'req_test' }),
        }),
      { times: 1 },
    )
    await page.getByRole('button', { name: 'Create the key' }).click()
    await page.getByRole('alert').getByText('req_test').waitFor()
    await picture(page, 'failure-internal')
    expect(await faultsOf(page)).toEqual([])
    await finish(page)
    await context.close()
  })

  it('offers to try again where a list could not be read', async () => {
    const { page, context, workspaceId } = await person()
    const broken = { status: 500, contentType: 'application/json', body: failure('Internal error', 'It broke.') }
    await page.route('**/v1/teams/**', route => route.fulfill(broken))
    await page.goto(`/w/${workspaceId}/teams`)
    await page.getByRole('alert').waitFor()
    expect(await faultsOf(page)).toEqual([])
    await page.unroute('**/v1/teams/**')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('No teams yet').waitFor()
    await context.close()
  })

  it('says so when a page is not the person’s to see', async () => {
    const host = await person()
    const { page, context } = await person()
    await page.goto(`/w/${host.workspaceId}/keys`)
    await page.getByRole('alert').getByText('You may not do this').waitFor()
    expect(await faultsOf(page)).toEqual([])
    await context.close()
    await host.context.close()
  })
})
