// Forms of integrations: made from the catalogue, changed, mapped, and sent what was missed.
import { button, pick, type Story, text } from './story.ts'

export const integrationStories: readonly Story[] = [
  {
    name: 'new integration',
    call: 'POST /v1/integrations',
    open: async ({ page, workspaceId }) => {
      await page.goto(`/w/${workspaceId}/integrations/new?type=webhook`)
      await page.getByLabel('Name').fill('Pager')
      await page.getByLabel('Address').fill('https://hooks.invalid/atrium')
      await pick(page, 'What is sent', 'Thin')
      await button(page, 'Add a header').click()
      await page.getByLabel('Name').last().fill('x-team')
      await page.getByLabel('Value').fill('checkout')
      await page.getByRole('combobox', { name: 'Events' }).fill('issues.*')
      await page.keyboard.press('Enter')
    },
    press: ({ page }) => button(page, 'Create'),
    done: ({ page }) => text(page, 'Copy the secret now'),
  },
  {
    name: 'integration',
    call: 'PATCH /v1/integrations/',
    open: async ({ page, workspaceId, made }) => {
      await page.goto(`/w/${workspaceId}/integrations/${made.inboundId}`)
      await button(page, 'Edit').click()
      await pick(page, 'Signature', 'HMAC')
      await page.getByRole('textbox', { name: 'Signing secret' }).fill('a-secret-of-the-sender')
    },
    press: ({ page }) => button(page, 'Save'),
    done: ({ page }) => text(page, /^Saved\.$/),
  },
  {
    name: 'mapping of payloads',
    call: 'PATCH /v1/integrations/',
    open: async ({ page, workspaceId, made }) => {
      await page.goto(`/w/${workspaceId}/integrations/${made.inboundId}?tab=mapping`)
      await page.getByRole('textbox', { name: 'Severity' }).fill('payload.level')
    },
    press: ({ page }) => button(page, 'Save'),
    done: ({ page }) => text(page, 'The mapping is saved.'),
  },
  {
    name: 'earlier events to an integration',
    call: 'POST /v1/integrations/',
    open: async ({ page, workspaceId, made, dialog }) => {
      await page.goto(`/w/${workspaceId}/integrations/${made.webhookId}?tab=deliveries`)
      await button(page, 'Send again').click()
      await page.getByRole('menuitem', { name: 'Earlier events' }).click()
      await dialog.getByLabel('From number').fill('1')
      await dialog.getByLabel('To number').fill('9')
    },
    press: ({ dialog }) => button(dialog, 'Send them'),
    done: ({ page }) => text(page, '9 entries looked at'),
  },
]
