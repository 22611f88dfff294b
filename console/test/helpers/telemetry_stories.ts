// Forms of datasets and telemetry tokens, whose fields are more than text.
import { button, pick, type Story, text } from './story.ts'

export const telemetryStories: readonly Story[] = [
  {
    name: 'new dataset',
    call: 'POST /v1/datasets',
    open: async ({ page, workspaceId }) => {
      await page.goto(`/w/${workspaceId}/datasets/new`)
      await page.getByLabel('Name').fill('checkout-spans')
      await pick(page, 'Kind', 'Traces')
      await page.getByRole('switch', { name: 'Make issues' }).click()
      await page.getByLabel('Within').fill('10m')
    },
    press: ({ page }) => button(page, 'Create'),
    done: ({ page }) => page.getByRole('heading', { name: 'checkout-spans' }),
  },
  {
    name: 'new telemetry token',
    call: 'POST /v1/telemetry_tokens',
    open: async ({ page, workspaceId }) => {
      await page.goto(`/w/${workspaceId}/telemetry_tokens/new`)
      await page.getByLabel('Name').fill('Checkout service')
      await page.getByLabel('Items a minute').fill('5000')
      await button(page, 'Add an attribute').click()
      await page.getByLabel('Name').last().fill('deployment.environment.name')
      await page.getByLabel('Value').fill('production')
    },
    press: ({ page }) => button(page, 'Create'),
    done: ({ page }) => text(page, 'Copy the secret now'),
  },
]
