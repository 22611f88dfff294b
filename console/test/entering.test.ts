// Stories of getting in: sign up, verify, log in, forget the password, be invited.
import { expect, it } from 'vitest'
import {
  codeFor,
  faultsOf,
  inBrowser,
  mailTo,
  password,
  person,
  picture,
  signUp,
  useBrowser,
  visitor,
} from './helpers/browser.ts'

let count = 0
const address = () => `entering${Date.now().toString(36)}${count++}@example.com`

inBrowser('entering', () => {
  useBrowser()

  it('leads from sign-up over a pasted code to a workspace', async () => {
    const { page, context, faults } = await visitor()
    const email = address()
    await page.goto('/')
    await page.getByLabel('E-mail address or username').and(page.locator(':focus')).waitFor()
    await page.getByRole('link', { name: 'Sign up' }).click()
    await page.getByLabel('E-mail address', { exact: true }).and(page.locator(':focus')).waitFor()
    await page.getByLabel('E-mail address', { exact: true }).fill(email)
    await page.getByRole('textbox', { name: 'Password' }).fill('short')
    // The rule is ticked off while one types.
    const needs = page.getByRole('list', { name: 'What a password needs' }).getByRole('listitem')
    const unmet = needs.filter({ has: page.getByLabel('Not met') })
    expect(await unmet.allTextContents()).toEqual([
      'At least 8 characters',
      'An uppercase letter',
      'A digit',
      'One of @$!%*?&',
    ])
    await page.getByRole('button', { name: 'Sign up' }).click()
    await page.getByText('Use at least 8 characters').waitFor()
    await page.getByRole('textbox', { name: 'Password' }).fill(`${password} ä`)
    expect(await unmet.allTextContents()).toEqual(['No other characters than letters, digits and @$!%*?&'])
    await page.getByRole('textbox', { name: 'Password' }).fill(password)
    expect(await unmet.count()).toBe(0)
    await page.getByRole('button', { name: 'Sign up' }).click()
    await page.getByRole('heading', { name: 'Verify your address' }).waitFor()
    const code = await codeFor(email)
    await page.evaluate(text => navigator.clipboard.writeText(`  ${text.toLowerCase()} `), code)
    await page.getByLabel('Code').focus()
    await page.keyboard.press('ControlOrMeta+V')
    await page.getByRole('heading', { name: 'First steps' }).waitFor()
    expect(page.url()).toMatch(/\/w\/ws_/)
    expect(faults).toEqual([])
    await context.close()
  })

  it('says why a code was refused and keeps the page', async () => {
    const { page, context } = await visitor()
    const email = address()
    await page.goto('/signup')
    await page.getByLabel('E-mail address', { exact: true }).fill(email)
    await page.getByRole('textbox', { name: 'Password' }).fill(password)
    await page.getByRole('button', { name: 'Sign up' }).click()
    await page.getByLabel('Code').fill('0000-0000')
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByRole('alert').getByText('The code is wrong').waitFor()
    expect(await page.getByLabel('Code').inputValue()).toBe('0000-0000')
    await page.getByRole('link', { name: 'Later' }).click()
    await page.getByText('Verify your e-mail address').waitFor()
    await context.close()
  })

  it('brings a person back to the page they asked for', async () => {
    const email = address()
    await signUp(email)
    const { page, context } = await visitor()
    await page.goto('/me/sessions')
    await page.getByLabel('E-mail address or username').fill(email)
    await page.getByRole('textbox', { name: 'Password' }).fill('Wrong4Horse!')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('alert').getByText('do not belong together').waitFor()
    await page.getByRole('textbox', { name: 'Password' }).fill(password)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('heading', { name: 'Sessions' }).waitFor()
    await page.getByText('This device').waitFor()
    await context.close()
  })

  it('sends nobody to another site after log-in', async () => {
    const email = address()
    await signUp(email)
    const { page, context, faults } = await visitor()
    await page.goto('/login?next=%2F%2Fevil.example%2F')
    await page.getByLabel('E-mail address or username').fill(email)
    await page.getByRole('textbox', { name: 'Password' }).fill(password)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('heading', { name: 'First steps' }).waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  it('sets a new password with a mailed code', async () => {
    const email = address()
    await signUp(email)
    const { page, context } = await visitor()
    await page.goto('/login')
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    await page.getByLabel('E-mail address', { exact: true }).fill(email)
    await page.getByRole('button', { name: 'Mail me a code' }).click()
    await page.getByRole('heading', { name: 'Set a new password' }).waitFor()
    await page.getByLabel('Code').fill(await codeFor(email, 'Reset your password'))
    await page.getByRole('textbox', { name: 'New password' }).fill('Another5Horse!')
    await page.getByRole('button', { name: 'Set the password' }).click()
    await page.getByRole('heading', { name: 'Log in' }).waitFor()
    await page.getByLabel('E-mail address or username').fill(email)
    await page.getByRole('textbox', { name: 'Password' }).fill('Another5Horse!')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('heading', { name: 'First steps' }).waitFor()
    await context.close()
  })

  it('takes an invite from a mail to a membership, in a second browser', async () => {
    const host = await person()
    const guest = address()
    await host.page.goto(`/w/${host.workspaceId}/members`)
    await host.page.getByRole('button', { name: 'Invite', exact: true }).click()
    const dialog = host.page.getByRole('dialog')
    await dialog.getByLabel('E-mail address').fill(guest)
    await dialog.getByRole('button', { name: 'Send the invite' }).click()
    await dialog.getByText('The invite is sent').waitFor()
    await dialog.getByRole('button', { name: 'Done' }).click()
    const link = /(\/invite#[\w-]+)/.exec(await mailTo(guest, text => text.includes('/invite#')))?.[1] ?? ''

    const { page, context } = await visitor()
    await page.goto(link)
    const { name } = await host.client.call('workspaces.get', { workspaceId: host.workspaceId })
    const me = await host.client.call('auth.whoami', {})
    await page.getByRole('heading', { name: `Join ${name}` }).waitFor()
    // Who invites, to where, and as what.
    await page.getByText(`${me.forename} invited you to ${name} as member`).waitFor()
    expect(await faultsOf(page)).toEqual([])
    await picture(page, 'invite-preview-light')
    expect(page.url()).not.toContain('#')
    await page.getByRole('link', { name: 'Sign up' }).click()
    await page.getByLabel('E-mail address', { exact: true }).and(page.locator(':focus')).waitFor()
    await page.getByLabel('E-mail address', { exact: true }).fill(guest)
    const rules = page.getByRole('list', { name: 'What a password needs' })
    expect(await rules.getByLabel('Met', { exact: true }).count()).toBe(0)
    await page.getByRole('textbox', { name: 'Password' }).fill('Correct4')
    // Ticked off while one types.
    expect(await rules.getByLabel('Met', { exact: true }).count()).toBe(4)
    await page.getByRole('textbox', { name: 'Password' }).fill(password)
    expect(await rules.getByLabel('Not met').count()).toBe(0)
    await page.getByRole('button', { name: 'Sign up' }).click()
    await page.getByLabel('Code').fill(await codeFor(guest, 'Verify'))
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.waitForURL(`**/w/${host.workspaceId}`)
    await host.page.reload()
    await host.page.getByRole('cell', { name: guest }).first().waitFor()
    await context.close()
    await host.context.close()
  })

  it('lets somebody with an account accept an invite', async () => {
    const host = await person()
    const guest = await person()
    const { workspaceId, client } = host
    const { token } = await client.call('workspace_members.invites.post', { workspaceId, position: 'viewer' })
    await guest.page.goto(`/invite#${token}`)
    await guest.page.getByText('as viewer').waitFor()
    await guest.page.getByRole('button', { name: 'Join the workspace' }).click()
    await guest.page.waitForURL(`**/w/${workspaceId}`)
    await guest.page.getByRole('link', { name: 'API keys' }).waitFor({ state: 'detached' })
    await host.context.close()
    await guest.context.close()
  })

  it('tells nothing of an invite that has ended, or never was', async () => {
    const host = await person()
    const { workspaceId, client } = host
    const { token, id } = await client.call('workspace_members.invites.post', { workspaceId, position: 'viewer' })
    await client.call('workspace_members.invites.del', { workspaceId, inviteId: id })
    const { page, context } = await visitor()
    for (const one of [token, `inv_${'x'.repeat(43)}`]) {
      await page.goto('/invite-none')
      await page.goto(`/invite#${one}`)
      await page.getByRole('heading', { name: 'This invite has ended' }).waitFor()
    }
    expect(await faultsOf(page)).toEqual([])
    await context.close()
    await host.context.close()
  })

  it('makes links of the addresses in kept mails, which lead here', async () => {
    const host = await person()
    const guest = address()
    await host.client.call('workspace_members.invites.post', {
      workspaceId: host.workspaceId,
      email: guest,
      position: 'member',
    })
    await mailTo(guest, text => text.includes('/invite#'))
    const { page, context } = await visitor()
    await page.goto('/dev/mailbox')
    const mail = page.locator('article', { hasText: guest }).first()
    await mail.getByRole('link').first().click()
    await page.getByText('as member').waitFor()
    await context.close()
    await host.context.close()
  })
})
