import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AxeBuilder } from '@axe-core/playwright'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql } from '../../src/kit/sql.ts'
import { listeningPlatform, pkce, setPassword, tokenRequest } from '../helpers/oauth.ts'
import type { TestCaller, TestPlatform } from '../helpers/platform.ts'

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
/** Where to keep a picture of every page, if anywhere. */
const pictures = process.env.SCREENSHOTS

describe.skipIf(!existsSync(executablePath))('a real browser, by keyboard alone and without scripts', () => {
  let p: TestPlatform
  let user: TestCaller
  let email: string
  let password: string
  let browser: Browser
  let callback: Server
  let redirectUri: string

  beforeAll(async () => {
    p = await listeningPlatform()
    user = await p.user('ada.lovelace@example.com')
    email = 'ada.lovelace@example.com'
    password = await setPassword(p, user.userId)
    await p.workspace(user.userId)
    await p.database.query(sql`update workspaces set name = 'Analytical Engines' where id = ${user.workspaceId}`)
    callback = createServer((_, response) => response.end('the application')).listen(0, '127.0.0.1')
    await once(callback, 'listening')
    redirectUri = `http://127.0.0.1:${(callback.address() as AddressInfo).port}/callback`
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-background-networking'] })
  })
  afterAll(async () => {
    await browser?.close()
    callback?.close()
    await p?.close()
  })

  const schemes = ['light', 'dark'] as const

  async function open(colorScheme: (typeof schemes)[number], width = 900): Promise<[BrowserContext, Page]> {
    const context = await browser.newContext({
      colorScheme,
      javaScriptEnabled: false,
      viewport: { width, height: 760 },
    })
    const page = await context.newPage()
    page.setDefaultTimeout(30_000)
    return [context, page]
  }

  async function picture(page: Page, name: string): Promise<void> {
    if (!pictures) return
    mkdirSync(pictures, { recursive: true })
    await page.screenshot({ path: `${pictures}/${name}.png`, fullPage: true })
  }

  function request(scope: string, client = 'atrium-cli') {
    const { challenge, verifier } = pkce()
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: client,
      redirect_uri: redirectUri,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      scope,
    })
    return { url: `${p.config.PUBLIC_URL}/oauth/authorize?${query}`, verifier }
  }

  const wanted =
    'openid email workspaces:read workspaces:write teams:read api_keys:read api_keys:write issues:read issues:write issues:delete'

  it.each(schemes)('logs in, chooses and lets the application in (%s)', async scheme => {
    const [context, page] = await open(scheme)
    const { url, verifier } = request(wanted)
    await page.goto(url)
    expect(await page.title()).toBe('Log in · Atrium')
    await picture(page, `login-${scheme}`)
    await page.locator('input[name=name]:focus').waitFor()
    await page.keyboard.type(email)
    await page.keyboard.press('Tab')
    await page.keyboard.type('Wrong4Horse!')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    await picture(page, `login-wrong-${scheme}`)
    // The name stays, and the password has the focus.
    await page.locator('input[name=password]:focus').waitFor()
    await page.keyboard.type(password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Let Atrium command line act for you?' }).waitFor()
    await picture(page, `consent-${scheme}`)
    await page.getByLabel('In which workspace?').focus()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    expect(await page.locator('input[value="workspaces:read"]').isChecked()).toBe(false)
    while (!(await page.evaluate("document.activeElement.value === 'allow'"))) await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${redirectUri}**`)
    const code = new URL(page.url()).searchParams.get('code') ?? ''
    const form = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri }
    const { body } = await tokenRequest(p, { ...form, client_id: 'atrium-cli' })
    expect(body.scope.split(' ')).toContain('workspaces:write')
    expect(body.scope.split(' ')).not.toContain('workspaces:read')
    await context.close()
  })

  it.each(schemes)('connects a device (%s)', async scheme => {
    const [context, page] = await open(scheme)
    await context.addCookies([{ name: 'session', value: user.token, url: p.config.PUBLIC_URL }])
    const { body } = await p.request({
      method: 'POST',
      url: '/oauth/device/code',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'client_id=atrium-cli&scope=teams:read',
    })
    await page.goto(body.verification_uri)
    await picture(page, `device-${scheme}`)
    await page.locator('input[name=user_code]:focus').waitFor()
    await page.keyboard.type(body.user_code.toLowerCase())
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Is this the code on your device?' }).waitFor()
    await picture(page, `device-confirm-${scheme}`)
    await page.locator('button[name=confirm]:focus').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'act for you?' }).waitFor()
    await picture(page, `device-consent-${scheme}`)
    await page.getByRole('button', { name: 'Allow' }).press('Enter')
    await page.getByRole('heading', { name: 'Done' }).waitFor()
    await picture(page, `device-done-${scheme}`)
    await context.close()
  })

  it.each(schemes)('sees errors on a page (%s)', async scheme => {
    const [context, page] = await open(scheme)
    await page.goto(request('teams:read', 'nobody').url)
    await page.getByRole('heading', { name: 'This did not work' }).waitFor()
    await picture(page, `error-${scheme}`)
    await context.close()
  })

  it('finds no fault of accessibility on any page, nor a need to scroll sideways at 320 pixels', async () => {
    for (const colorScheme of schemes) {
      const context = await browser.newContext({ colorScheme, bypassCSP: true, viewport: { width: 320, height: 700 } })
      const page = await context.newPage()
      const check = async (name: string) => {
        await picture(page, `narrow-${name}-${colorScheme}`)
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320)
        const { violations } = await new AxeBuilder({ page })
          .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
          .analyze()
        expect([name, violations.map(({ id, nodes }) => `${id} ${nodes[0]?.html}`)]).toEqual([name, []])
      }
      await page.goto(request(wanted).url)
      await check('login')
      await page.goto(request(wanted, 'nobody').url)
      await check('error')
      await page.goto(`${p.config.PUBLIC_URL}/oauth/device`)
      await check('device')
      await context.addCookies([{ name: 'session', value: user.token, url: p.config.PUBLIC_URL }])
      await page.goto(request(wanted).url)
      await check('consent')
      await page.goto(`${p.config.PUBLIC_URL}/dev/mailbox`)
      await check('mailbox')
      await context.close()
    }
  }, 240_000)

  it('will not show a page in a frame', async () => {
    const [context, page] = await open('light')
    const { url } = request('teams:read')
    await page.setContent(`<iframe src="${url.replaceAll('&', '&amp;')}"></iframe>`)
    await page.waitForLoadState()
    const inside = page.frames().at(-1)
    expect(await inside?.getByRole('heading', { name: 'Log in' }).count()).toBe(0)
    await context.close()
  })
})
