// A page looked at as people have it: light, dark and on a phone. What is seen is kept as a picture.
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { faultsOf, picture, settled } from './browser.ts'

const phone = { width: 320, height: 800 }
const desk = { width: 1280, height: 900 }

/** As it stands: all of axe in light, contrast in dark, nothing wider than a phone. */
export async function look(page: Page, name: string): Promise<string[]> {
  await settled(page)
  expect(await page.locator('h1').count(), `${name}: headings`).toBe(1)
  expect(await page.title(), `${name}: title`).toMatch(/· Atrium$|^Atrium$/)
  await picture(page, `${name}-light`)
  const found = await faultsOf(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  // The server's own pages follow the browser by themselves.
  await page.waitForFunction(() => (document.documentElement.dataset.mantineColorScheme ?? 'dark') === 'dark')
  await picture(page, `${name}-dark`)
  found.push(...(await faultsOf(page, ['color-contrast', 'link-in-text-block'])))
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize(phone)
  // What is as wide as the window follows it in steps.
  await settled(page)
  await picture(page, `${name}-phone`)
  const wide = await page.evaluate(() => document.documentElement.scrollWidth)
  if (wide > phone.width) found.push(`${wide} pixels wide on a phone`)
  await page.setViewportSize(desk)
  return found.map(fault => `${name}: ${fault}`)
}
