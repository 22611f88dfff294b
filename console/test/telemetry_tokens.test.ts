// Telemetry tokens: made with the settings of senders, used, looked at, rotated and revoked.
import { expect, it } from 'vitest'
import { sendersOf } from '../src/areas/telemetry_tokens/senders.ts'
import { faultsOf, inBrowser, person, picture, url, useBrowser } from './helpers/browser.ts'
import { look } from './helpers/look.ts'
import { button, pick } from './helpers/story.ts'

inBrowser('a telemetry token', () => {
  useBrowser()

  it('is made for datasets, shows how it is used, and what it sent', async () => {
    const { page, context, workspaceId, client, faults } = await person()
    const { id } = await client.call('datasets.post', { workspaceId, slug: 'checkout-logs', kind: 'logs' })
    await page.goto(`/w/${workspaceId}/telemetry_tokens/new`)
    await page.getByLabel('Name').first().fill('Checkout service')
    await pick(page, 'Logs', 'checkout-logs')
    await page.getByLabel('Items a minute').fill('5000')
    await page.getByLabel('Size a day').fill('2 GiB')
    await button(page, 'Add an attribute').click()
    await page.getByLabel('Name').last().fill('deployment.environment.name')
    await page.getByLabel('Value').fill('production')
    faults.push(...(await look(page, 'telemetry-token-new')))
    await button(page, 'Create').click()
    await page.getByText('Copy the secret now').waitFor()
    const secret = (await page.locator('[data-copy-value]').first().textContent()) ?? ''
    await page.getByText(`OTEL_EXPORTER_OTLP_ENDPOINT=${url}/v1/otlp`).waitFor()
    faults.push(...(await look(page, 'telemetry-token-secret')))
    for (const name of ['Collector', 'Fluent Bit', 'Vector', 'curl']) {
      await page.getByRole('tab', { name }).click()
      await page.getByRole('tabpanel').getByText(secret).waitFor()
    }
    await page.getByRole('button', { name: 'Copy: curl' }).click()
    await button(page, 'I have copied it').click()
    await page.getByRole('heading', { name: 'Checkout service' }).waitFor()
    await page.getByText('5,000 items a minute, 2 GiB a day').waitFor()
    await page.getByRole('link', { name: 'checkout-logs' }).waitFor()

    const [curl] = sendersOf(url, secret).filter(({ name }) => name === 'curl')
    const body = /-d '(.*)'$/s.exec(curl?.value ?? '')?.[1] ?? ''
    const send = (signal: string) =>
      fetch(`${url}/v1/otlp/v1/${signal}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body,
      })
    expect((await send('logs')).status).toBe(200)
    expect((await send('metrics')).status).toBe(403)
    const { items } = await client.call('datasets.rows.list', { workspaceId, id })
    expect(items).toMatchObject([{ body: 'It works', service: 'my-service', severity: 'info' }])

    // Use is counted a moment later.
    const tokens = () => client.call('telemetry_tokens.list', { workspaceId })
    await expect.poll(async () => (await tokens()).items[0]?.accepted30d, { timeout: 30_000 }).toBe(1)
    await page.reload()
    await page.getByRole('tab', { name: 'Use' }).click()
    await page.getByText('1 item (spans').waitFor()
    await page.getByText('Something was refused lately').waitFor()
    faults.push(...(await look(page, 'telemetry-token-use')))
    await page.goto(`/w/${workspaceId}/telemetry_tokens`)
    await page.getByRole('row', { name: /Checkout service/ }).waitFor()
    faults.push(...(await look(page, 'telemetry-tokens')))

    await page.getByRole('link', { name: 'Checkout service' }).click()
    await button(page, 'Rotate').click()
    const dialog = page.getByRole('dialog')
    await button(dialog, 'Rotate').click()
    await dialog.getByText('Copy the secret now').waitFor()
    await picture(page, 'telemetry-token-rotated-light')
    faults.push(...(await faultsOf(page)))
    await button(dialog, 'I have copied it').click()
    await page.getByText(/The old secret works until/).waitFor()
    expect((await send('logs')).status).toBe(200)
    await button(page, 'More').click()
    await page.getByRole('menuitem', { name: 'Revoke' }).click()
    await page.getByText('Revoked: it is refused').waitFor()
    expect((await send('logs')).status).toBe(401)
    expect(faults).toEqual([])
    await context.close()
  })
})

it('senders are told of the service by its own address', () => {
  const of = (base: string) => Object.fromEntries(sendersOf(base, 'tt_x').map(({ name, value }) => [name, value]))
  expect(of('https://atrium.example.com').SDKs).toContain('OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20tt_x')
  expect(of('https://atrium.example.com')['Fluent Bit']).toContain('port: 443\n      tls: on')
  expect(of('http://127.0.0.1:3000')['Fluent Bit']).toContain('port: 3000\n      tls: off')
  expect(of('http://127.0.0.1:3000').Collector).toContain('endpoint: http://127.0.0.1:3000/v1/otlp\n')
})
