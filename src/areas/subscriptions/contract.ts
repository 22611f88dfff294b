// Subscriptions: which plan, cycle and seats a workspace has committed to.
import { Type } from 'typebox'
import { WorkspaceId } from '../../contract/ids.ts'
import { area } from '../../contract/operation.ts'
import { billingProviders, Currency, Plan } from '../../contract/plans.ts'
import { choice, object, timestamp } from '../../contract/records.ts'
import { agentCallers } from '../../contract/scopes.ts'
import { returnUrl } from '../billing/contract.ts'
import { Preview, Subscription, terms } from './fields/contract.ts'

const path = object({ workspaceId: WorkspaceId })

const wanted = {
  plan: Type.Optional(terms.plan),
  cycle: Type.Optional(terms.cycle),
  seats: Type.Optional(terms.seats),
}

export const subscriptions = area(
  'subscriptions',
  {
    'subscriptions.plans': {
      summary: 'List the plans that can be had here',
      description: 'None where nobody is billed.',
      route: 'GET /v1/public/plans',
      words: 'pricing prices tiers offers',
      access: 'public',
      result: object({
        providers: Type.Array(choice(billingProviders)),
        currency: Currency,
        plans: Type.Array(Plan),
      }),
    },
    'subscriptions.get': {
      summary: 'Show the plan of a workspace, and what it limits',
      route: 'GET /v1/subscriptions/{workspaceId}',
      words: 'plan tier seats limits quota trial period',
      access: ['subscriptions:read'],
      path,
      result: Subscription,
    },
    'subscriptions.preview': {
      summary: 'Show what a change of the plan would cost and do',
      description:
        'What is charged and credited line by line, to the second, and what would be more than the plan has. Sent with ' +
        '`previewedAt`, the change costs exactly this.',
      route: 'POST /v1/subscriptions/{workspaceId}/preview',
      words: 'proration upgrade downgrade price quote plan seats',
      access: ['subscriptions:read'],
      path,
      body: object(wanted),
      result: Preview,
      errors: [],
      audit: false,
    },
    'subscriptions.patch': {
      summary: 'Change, cancel or resume the plan of a workspace',
      description:
        'More takes effect at once, less at the end of the period. `cancel` ends it then, `resume` takes that back. ' +
        'Nothing is ever deleted: what is more than the new plan has stays, and `warnings` names it.',
      route: 'PATCH /v1/subscriptions/{workspaceId}',
      words: 'upgrade downgrade cancel resume plan seats cycle annual monthly',
      access: ['subscriptions:write'],
      restricted: agentCallers,
      path,
      body: object({
        ...wanted,
        cancel: Type.Optional(Type.Boolean({ description: 'True: at the end of the period.' })),
        resume: Type.Optional(Type.Boolean({ description: 'True: after all not.' })),
        previewedAt: Type.Optional({ ...timestamp, description: 'The `at` of a preview of the last 15 minutes.' }),
      }),
      result: Subscription,
      errors: ['conflict'],
    },
    'subscriptions.checkout': {
      summary: 'Begin to pay for a plan at the provider',
      description:
        'Answers with the address of the page where the card is entered. Only where the provider has such a page.',
      route: 'POST /v1/subscriptions/{workspaceId}/checkout',
      past: 'began to pay for a plan of',
      words: 'stripe buy purchase subscribe card',
      access: ['subscriptions:write'],
      restricted: agentCallers,
      path,
      body: object({
        plan: terms.plan,
        cycle: terms.cycle,
        seats: Type.Optional(terms.seats),
        successUrl: returnUrl,
        cancelUrl: returnUrl,
      }),
      result: object({ url: Type.String({ description: 'For one visit, soon.' }) }),
      status: 202,
    },
  },
  {
    about: 'Which plan, cycle and seats a workspace has committed to.',
    leaves: {
      subscriptions: 'is between this installation and who pays it',
      subscriptions_to_end: 'is about workspaces that are gone',
    },
    events: {
      'subscriptions.begun': 'A subscription began at the provider',
      'subscriptions.unclear': 'The payment service told of a plan that is not offered; nothing began',
      'subscriptions.renewed': 'A period of a subscription began',
      'subscriptions.trial_ended': 'A trial ended and the first period began',
      'subscriptions.past_due': 'An invoice was not paid in time',
      'subscriptions.recovered': 'What was due is paid',
      'subscriptions.canceled': 'A subscription ended; the workspace has the plan that costs nothing',
      'subscriptions.mirrored': 'The provider told that a subscription has changed',
    },
  },
)
