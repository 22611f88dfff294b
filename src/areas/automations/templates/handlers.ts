// Carries out the operations on templates: all of them, and one as an automation.
import type { Static } from 'typebox'
import { notFound } from '../../../contract/errors.ts'
import { implement } from '../../../kit/implement.ts'
import { create } from '../creating.ts'
import { type AutomationTemplate, templates } from './contract.ts'
import { filled } from './filling.ts'
import { gallery } from './gallery.ts'

// The schema of steps says how deep they go, their type does not.
const items = gallery as unknown as Static<typeof AutomationTemplate>[]

export default implement(templates, {
  'automations.templates': async () => ({ items }),

  'automations.templates.install': async (ctx, { workspaceId, template: slug, inputs = {}, enabled = true }) => {
    const template = gallery.find(one => one.slug === slug)
    if (!template) throw notFound('template')
    const { name, description } = template
    return await create(ctx, workspaceId, { name, description, enabled, definition: filled(template, inputs) })
  },
})
