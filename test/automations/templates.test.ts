// Templates: each fits the contract, is checked without a fault once it is filled, and takes no value that it should not.
import Ajv from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { checkDefinition } from '../../src/areas/automations/definition/checking.ts'
import { usual } from '../../src/areas/automations/definition/usual.ts'
import type { Definition, Step } from '../../src/areas/automations/fields/contract.ts'
import { AutomationTemplate } from '../../src/areas/automations/templates/contract.ts'
import { filled } from '../../src/areas/automations/templates/filling.ts'
import { gallery } from '../../src/areas/automations/templates/gallery.ts'
import { asked, type Template, type TemplateInput } from '../../src/areas/automations/templates/template.ts'
import { scopesToHear } from '../../src/areas/events/visibility.ts'
import { ApiError } from '../../src/contract/errors.ts'
import type { Scope } from '../../src/contract/scopes.ts'
import { platformForTest } from '../helpers/platform.ts'

const ajv = new Ajv.default({ strict: false, allErrors: true })

/** What has no default. */
const samples: Readonly<Record<string, unknown>> = {
  integrationId: `int_${'a'.repeat(24)}`,
  repositoryId: `repo_${'b'.repeat(24)}`,
  to: ['ada@example.com'],
}

const sampleFor = ({ inputs }: Template) => Object.fromEntries(inputs.required.map(name => [name, samples[name]]))

/** What agents in threads do beside the steps: no step says so, and each is named in the instructions. */
const ofThreads: Readonly<Record<string, readonly Scope[]>> = {
  'nightly-dependency-review': ['repositories:read', 'messages:write', 'issues:read', 'issues:write'],
  'weekly-digest': ['messages:write', 'autofixes:read', 'issues:read'],
  'declare-incident': ['threads:read', 'messages:write', 'issues:read'],
}

/** What it takes to hear of the events, and to read the record that they are about. */
function toHear({ triggers }: Definition): Scope[] {
  const events = triggers.flatMap(({ event }) => event ?? [])
  const isOfPages = events.some(event => event.endsWith('.publish'))
  return [...events.flatMap(scopesToHear), ...(isOfPages ? (['pages:read'] as const) : [])]
}

function stepsIn(steps: readonly Step[]): Step[] {
  return steps.flatMap(step => [step, ...stepsIn(step.steps ?? []), ...stepsIn(step.else ?? [])])
}

function expressionsOf({ triggers, condition, steps }: Definition): string[] {
  const all = [condition, ...triggers.map(({ where }) => where), ...stepsIn(steps).map(step => step.if)]
  return all.flatMap(text => text ?? [])
}

const inputsIn = (value: unknown) =>
  [...(JSON.stringify(value) ?? '').matchAll(/\{\{\s*inputs\.(\w+)\s*\}\}/g)].map(([, name = '']) => name)

describe('the gallery', () => {
  it('has twelve templates, each with a slug and a name of its own', () => {
    expect(gallery).toHaveLength(12)
    expect(new Set(gallery.map(({ slug }) => slug)).size).toBe(12)
    expect(new Set(gallery.map(({ name }) => name)).size).toBe(12)
  })

  describe.each(gallery.map(template => [template.slug, template] as const))('%s', (slug, template) => {
    const { inputs, definition } = template

    it('fits the contract', () => {
      const isValid = ajv.compile(AutomationTemplate as object)
      expect(isValid(template), JSON.stringify(isValid.errors)).toBe(true)
    })

    it('asks with a JSON Schema that its own defaults fit', () => {
      expect(() => ajv.compile(inputs)).not.toThrow()
      for (const { title, description, ...schema } of Object.values(inputs.properties)) {
        expect(title.length).toBeGreaterThan(0)
        expect(description).toMatch(/\.$/)
        if ('default' in schema) expect(ajv.validate(schema, schema.default)).toBe(true)
      }
    })

    it('uses each value that it asks for, and no other', () => {
      expect([...new Set(inputsIn(definition))].sort()).toEqual(Object.keys(inputs.properties).sort())
    })

    it('puts only numbers into expressions, where a text could change what they mean', () => {
      for (const name of inputsIn(expressionsOf(definition))) expect(inputs.properties[name]?.type).toBe('integer')
    })

    it('is checked without a fault, and granted exactly what it needs', () => {
      const made = filled(template, sampleFor(template))
      const { faults, needs } = checkDefinition(made)
      expect(faults).toEqual([])
      const all = new Set([...needs, ...toHear(made), ...(ofThreads[slug] ?? [])])
      expect([...made.grants].sort()).toEqual([...all].sort())
    })

    it('leaves no place of its own open', () => {
      expect(inputsIn(filled(template, sampleFor(template)))).toEqual([])
    })
  })
})

describe('filling', () => {
  const count: TemplateInput = { title: 'Count', description: 'So many.', type: 'integer', minimum: 1, default: 3 }
  const people: TemplateInput = {
    title: 'To',
    description: 'Who.',
    type: 'array',
    items: { type: 'string' },
    maxItems: 2,
  }
  const text: TemplateInput = { title: 'Text', description: 'What.', type: 'string', enum: ['$&', 'b', 'a {{ b'] }
  const template: Template = {
    ...{ slug: 'sample', name: 'Sample', description: 'A sample.' },
    inputs: asked({ count, people, text }),
    definition: {
      ...usual,
      triggers: [{ on: 'manual' }],
      steps: [
        {
          do: 'send_email',
          if: 'trigger.input.n > {{ inputs.count }}',
          with: {
            to: '{{inputs.people}}',
            subject: '{{ inputs.text }} of {{ trigger.input.name }}',
            n: '{{ inputs.count }}',
          },
        },
      ],
      grants: [],
    },
  }
  const good = { people: ['ada@example.com'], text: 'b' }

  function refusal(given: Record<string, unknown>) {
    try {
      filled(template, given)
    } catch (error) {
      const { kind, metadata } = error as ApiError
      expect(error).toBeInstanceOf(ApiError)
      expect(kind).toBe('bad_request')
      return (metadata as { issues: { path: string; rule: string; expected: string }[] }).issues[0]
    }
    throw new Error('it was taken')
  }

  it('puts the value itself where it stands alone, its text where it stands in a text, and leaves other places', () => {
    expect(filled(template, good).steps).toEqual([
      {
        do: 'send_email',
        if: 'trigger.input.n > 3',
        with: { to: ['ada@example.com'], subject: 'b of {{ trigger.input.name }}', n: 3 },
      },
    ])
    expect(filled(template, { ...good, count: 7 }).steps[0]?.with?.n).toBe(7)
  })

  it('takes a text as it is, whatever it means to a replacement', () => {
    expect(filled(template, { ...good, text: '$&' }).steps[0]?.with?.subject).toBe('$& of {{ trigger.input.name }}')
  })

  it('does not change the template', () => {
    const before = structuredClone(template)
    filled(template, good)
    expect(template).toEqual(before)
  })

  it.each([
    ['what is missing', { text: 'b' }, 'inputs.people', 'required'],
    ['what nobody asked for', { ...good, other: 1 }, 'inputs.other', 'additionalProperties'],
    ['a name that every object has', { ...good, constructor: 1 }, 'inputs.constructor', 'additionalProperties'],
    ['another type', { ...good, count: '4' }, 'inputs.count', 'type'],
    ['a number that is too small', { ...good, count: 0 }, 'inputs.count', 'minimum'],
    ['a list that is too long', { ...good, people: ['a', 'b', 'c'] }, 'inputs.people', 'maxItems'],
    ['an element of another type', { ...good, people: ['a', 1] }, 'inputs.people.1', 'type'],
    ['null', { ...good, count: null }, 'inputs.count', 'type'],
    ['a text that holds a template', { ...good, text: 'a {{ b' }, 'inputs.text', 'template'],
    ['a list that holds one', { ...good, people: ['{{ steps.x.output }}'] }, 'inputs.people', 'template'],
  ])('refuses %s with 400 and names the field', (_, given, path, rule) => {
    expect(refusal(given)).toMatchObject({ path, rule })
  })

  it('says which words there are', () => {
    expect(refusal({ ...good, text: 'c' })?.expected).toContain('$&, b')
  })
})

describe('automations.templates.install', () => {
  it('refuses what is no template, what does not fit, and whoever lacks what it is granted', async () => {
    const p = await platformForTest()
    const owner = await p.user()
    const { workspaceId } = owner
    const call = (template: string, inputs: object, by = owner) =>
      p.call('automations.templates.install', { workspaceId, template, inputs }, by)
    expect((await call('no-such-template', {})).status).toBe(404)
    const unfit = await call('stale-issues', { hours: 0 })
    expect([unfit.status, unfit.error.metadata.issues?.[0]?.path]).toEqual([400, 'inputs.hours'])
    expect((await call('stale-issues', { timezone: 'Mars/Olympus' })).status).toBe(400)
    const key = await p.key(owner, { scopes: ['automations:read', 'automations:write', 'issues:read'] })
    expect((await call('stale-issues', {}, key)).status).toBe(403)
    expect((await p.call('automations.list', { workspaceId }, owner)).result.count).toBe(0)
  })
})
