// The file of plans: what comes along is good, what is wrong stops the start and says where.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { nothingLimited, PlanFile } from '../../src/contract/plans.ts'
import { limitsOf } from '../../src/kit/plans.ts'
import { readConfig, StartError } from '../../src/server/config.ts'
import { billingFrom, readPlans } from '../../src/server/plans.ts'

const root = join(import.meta.dirname, '../..')
const shipped = join(root, 'src/server/plans.json')

function written(change: (file: PlanFile) => void): string {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-plans-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = JSON.parse(readFileSync(shipped, 'utf8')) as PlanFile
  change(file)
  const path = join(folder, 'plans.json')
  writeFileSync(path, JSON.stringify(file))
  return path
}

describe('the file of plans', () => {
  it('that comes along has the four plans, and the first limits nothing', () => {
    const { plans } = readPlans(shipped)
    expect(plans.map(({ id }) => id)).toEqual(['self_hosted', 'free', 'team', 'business'])
    expect(plans[0]?.limits).toEqual(nothingLimited)
  })

  it('has the schema that editors are given', () => {
    const { $schema, title, ...schema } = JSON.parse(readFileSync(join(root, 'docs/plans.schema.json'), 'utf8'))
    expect([$schema, title]).toEqual(['http://json-schema.org/draft-07/schema#', 'Plans'])
    expect(schema).toEqual(JSON.parse(JSON.stringify(PlanFile)))
  })

  it.each<[string, (file: PlanFile) => void, RegExp]>([
    [
      'a price that is no whole number',
      file => Object.assign(file.plans[2]?.prices[0] ?? {}, { seatMinor: 12.5 }),
      /seatMinor/,
    ],
    ['a limit that is missing', file => Object.assign(file.plans[1] ?? {}, { limits: {} }), /limits/],
    ['a word that is not known', file => Object.assign(file, { plan: [] }), /additional/],
    ['a plan twice', file => file.plans.push(file.plans[1] as PlanFile['plans'][number]), /free twice/],
    ['a default that is not there', file => Object.assign(file, { defaultPlan: 'gold' }), /no plan gold/],
    [
      'usage that Stripe would not charge',
      file => Object.assign(file.plans[2]?.prices[0] ?? {}, { stripePrice: 'price_1' }),
      /usage of team, which Stripe does not charge/,
    ],
    [
      'a price for the workspace that Stripe would not charge',
      file => {
        Object.assign(file.plans[3] ?? {}, { usage: [] })
        Object.assign(file.plans[3]?.prices[0] ?? {}, { stripePrice: 'price_1' })
      },
      /baseMinor beside a stripePrice in business/,
    ],
    ['a default that costs something', file => Object.assign(file, { defaultPlan: 'team' }), /costs/],
  ])('with %s stops the start', (_, change, says) => {
    const path = written(change)
    expect(() => readPlans(path)).toThrow(StartError)
    expect(() => readPlans(path)).toThrow(says)
  })

  it('that is not there stops the start, whoever is paid', () => {
    expect(() => billingFrom(readConfig({ PLANS_FILE: join(root, 'nosuch.json') }))).toThrow(/PLANS_FILE/)
  })
})

describe('the configuration', () => {
  it('bills nobody where it says nothing', () => {
    expect(billingFrom(readConfig({}))).toBeNull()
  })

  it('takes providers only whole', () => {
    expect(() => readConfig({ BILLING_PROVIDERS: 'stripe' })).toThrow(/STRIPE_SECRET_KEY/)
    expect(() => readConfig({ BILLING_PROVIDERS: 'paypal' })).toThrow(/BILLING_PROVIDERS/)
    expect(() => readConfig({ BILLING_PROVIDERS: 'custom' })).toThrow(/CUSTOM_BILLING_URL/)
    expect(() => readConfig({ CUSTOM_BILLING_SECRET: 'short' })).toThrow(/CUSTOM_BILLING_SECRET/)
    expect(() => readConfig({ STRIPE_API_URL: 'https://example.com/v1' })).toThrow(/without a path/)
  })
})

describe('limits', () => {
  const billing = billingFrom(readConfig({ BILLING_PROVIDERS: 'manual' }))

  it('of members are the seats where seats are paid', () => {
    expect(limitsOf(billing, { provider: 'manual', plan: 'team', seats: 7 }).members).toBe(7)
    expect(limitsOf(billing, { provider: 'manual', plan: 'free', seats: 7 }).members).toBe(5)
  })

  it('are none where nobody pays, and of a plan that left the file', () => {
    expect(limitsOf(billing, { provider: 'none', plan: 'free', seats: 1 })).toEqual(nothingLimited)
    expect(limitsOf(billing, { provider: 'manual', plan: 'gone', seats: 1 })).toEqual(nothingLimited)
  })
})
