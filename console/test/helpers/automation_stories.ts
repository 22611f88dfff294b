// Forms of automations: built, changed, installed from a template, switched, started and tried.
import { again, button, type Story, text } from './story.ts'

export const automationStories: readonly Story[] = [
  {
    name: 'new automation',
    call: 'POST /v1/automations',
    open: async ({ page, workspaceId }) => {
      await page.goto(`/w/${workspaceId}/automations/new?template=_`)
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Pause for a while')
      await button(page, 'Add a step').click()
      await page.getByRole('textbox', { name: 'Search what a step can do' }).fill('wait')
      await page.getByRole('option', { name: /^Wait/ }).first().click()
      await page.getByRole('textbox', { name: 'Seconds' }).fill('5')
      await page.getByText('The definition is sound.').waitFor()
    },
    press: ({ page }) => button(page, 'Create'),
    done: ({ page }) => page.getByRole('heading', { name: 'Pause for a while' }),
  },
  {
    name: 'automation',
    call: 'PATCH /v1/automations/',
    open: async ({ page, workspaceId, made }) => {
      await page.goto(`/w/${workspaceId}/automations/${made.automationId}?tab=edit`)
      await page.getByRole('textbox', { name: 'Description' }).fill('Waits, and does nothing else.')
      await page.getByText('The definition is sound.').waitFor()
    },
    press: ({ page }) => button(page, 'Save'),
    done: ({ page }) => text(page, /^Saved\.$/),
  },
  {
    name: 'template of an automation',
    call: 'POST /v1/automations/',
    open: async ({ page, workspaceId }) => {
      await page.goto(`/w/${workspaceId}/automations/new?template=unused-api-keys`)
      await button(page, 'Install').waitFor()
    },
    press: ({ page }) => button(page, 'Install'),
    done: ({ page }) => text(page, 'is installed.'),
  },
  {
    name: 'switch of an automation',
    call: 'PATCH /v1/automations/',
    open: async ({ page, workspaceId }) => {
      await page.goto(`/w/${workspaceId}/automations`)
      await page.getByRole('switch', { name: 'Pause for a while: enabled' }).waitFor()
    },
    press: ({ page }) => page.getByRole('switch', { name: 'Pause for a while: enabled' }).locator('..'),
    again,
    done: ({ page }) => text(page, 'Pause for a while is disabled.'),
  },
  {
    name: 'start of an automation',
    call: 'POST /v1/automations/',
    open: async ({ page, workspaceId, made, dialog }) => {
      await page.goto(`/w/${workspaceId}/automations/${made.automationId}`)
      await button(page, 'Start').click()
      await dialog.getByLabel('Service').fill('checkout')
    },
    press: ({ dialog }) => button(dialog, 'Start'),
    done: ({ page }) => text(page, 'It is started.'),
  },
  {
    name: 'trial of an automation',
    call: 'POST /v1/automations/',
    open: async ({ page, workspaceId, made }) => {
      await page.goto(`/w/${workspaceId}/automations/${made.automationId}?tab=test`)
      await page.getByLabel('Service').fill('checkout')
    },
    press: ({ page }) => button(page, 'Try it'),
    done: ({ page }) => text(page, 'It would start'),
  },
]
