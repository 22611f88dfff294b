// Stories of one's own account.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { codeFor, faultsOf, inBrowser, password, person, url, useBrowser } from './helpers/browser.ts'

inBrowser('my account', () => {
  useBrowser()

  it('shows a change of address as pending until the code comes', async () => {
    const { page, context, faults } = await person()
    const email = `moved${Date.now()}@example.com`
    await page.goto('/me/profile')
    await page.getByLabel('Forename').fill('Ada')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Your profile is saved.').waitFor()
    await page.getByLabel('E-mail address').fill(email)
    await page.getByRole('button', { name: 'Change the address' }).click()
    await page.getByText(`${email} waits for its code`).waitFor()
    expect(await faultsOf(page)).toEqual([])
    await page.getByRole('textbox', { name: 'Code' }).fill(await codeFor(email))
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByText('The new address is yours').waitFor()
    await page.getByText(`${email} waits for its code`).waitFor({ state: 'detached' })
    expect(faults).toEqual([])
    await context.close()
  })

  it('changes the password, and ends the other sessions', async () => {
    const { page, context, email } = await person()
    await createClient({ baseUrl: url }).call('auth.login', { email, password })
    await page.goto('/me/sessions')
    await page.getByRole('button', { name: 'End all others' }).click()
    expect(await faultsOf(page)).toEqual([])
    await page.getByRole('dialog').getByRole('button', { name: 'End them' }).click()
    await page.getByText(/sessions? ended/).waitFor()
    await page.goto('/me/password')
    await page.getByRole('textbox', { name: 'Current password' }).fill('Wrong4Horse!')
    await page.getByRole('textbox', { name: 'New password' }).fill('Another5Horse!')
    await page.getByRole('button', { name: 'Change the password' }).click()
    await page.getByRole('alert').waitFor()
    expect(await faultsOf(page)).toEqual([])
    expect(await page.getByRole('textbox', { name: 'New password' }).inputValue()).toBe('Another5Horse!')
    await page.getByRole('textbox', { name: 'Current password' }).fill(password)
    await page.getByRole('button', { name: 'Change the password' }).click()
    await page.getByText('Your password is changed').waitFor()
    await context.close()
  })

  it('keeps notification settings as they are switched', async () => {
    const { page, context, client } = await person()
    await page.goto('/me/notifications')
    await page.getByRole('switch', { name: 'Digest' }).click({ force: true })
    await page.getByText('Saved.', { exact: true }).waitFor()
    const before = await page.getByRole('switch', { name: 'Digest' }).isChecked()
    expect((await client.call('auth.notification_settings.get', {})).updates.digest).toBe(before)
    await context.close()
  })

  it('exports my records and deletes my account', async () => {
    const { page, context, email } = await person()
    await page.goto('/me/privacy')
    const coming = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download' }).click()
    const exported = JSON.parse(readFileSync(await (await coming).path(), 'utf8'))
    expect(exported.user.email).toBe(email)
    await page.getByRole('button', { name: 'Delete my account' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('every API key you own').waitFor()
    expect(await faultsOf(page)).toEqual([])
    await dialog.getByLabel('to confirm').fill(email)
    await dialog.getByRole('button', { name: 'Delete my account' }).click()
    await page.getByRole('heading', { name: 'Create your account' }).waitFor()
    await context.close()
  })

  it('remembers light or dark, and logs out', async () => {
    const { page, context } = await person()
    await page.goto('/me/profile')
    await page.getByRole('button', { name: 'Switch to dark' }).click()
    await page.reload()
    expect(await page.evaluate(() => document.documentElement.dataset.mantineColorScheme)).toBe('dark')
    await page.getByRole('button', { name: 'My account' }).click()
    await page.getByRole('menuitem', { name: 'Log out' }).click()
    await page.getByRole('heading', { name: 'Log in' }).waitFor()
    await page.goto('/me/profile')
    await page.getByRole('heading', { name: 'Log in' }).waitFor()
    await context.close()
  })
})
