// Automations: when something happens, do these steps, in the name of whoever saved them and within what they granted.
import { Type } from 'typebox'
import { WorkspaceId } from '../../contract/ids.ts'
import { list, page } from '../../contract/list.ts'
import { area } from '../../contract/operation.ts'
import { choice, deleted, nullable, object } from '../../contract/records.ts'
import { agentCallers } from '../../contract/scopes.ts'
import { sealed } from '../../contract/sealed.ts'
import { LabelIds } from '../labels/contract.ts'
import { definitions } from './definition/contract.ts'
import { executions } from './executions/contract.ts'
import { AutomationId, definitionFields } from './fields/contract.ts'
import { hooks } from './hooks/contract.ts'
import { Automation, AutomationWithSecret, automationKey, description, Execution, name } from './records/contract.ts'
import { templates } from './templates/contract.ts'
import { versions } from './versions/contract.ts'

const optional = Type.Optional

const { triggers, condition, steps, grants, concurrency, timeoutSeconds, retry, missed, maxPerHour } = definitionFields

const terms = {
  condition: optional(condition),
  concurrency: optional({ ...concurrency, default: 'queue' }),
  timeoutSeconds: optional({ ...timeoutSeconds, default: 600 }),
  retry: optional(retry),
  missed: optional({ ...missed, default: 'skip' }),
  maxPerHour: optional({ ...maxPerHour, default: 60 }),
}

const beside = {
  hookSecret: optional(
    sealed('automations.hook_secret', {
      minLength: 16,
      maxLength: 256,
      pattern: '^[!-~]+$',
      description: 'What senders sign with; made by the platform where nothing is said.',
    }),
  ),
  description: optional(nullable(description)),
  enabled: optional(Type.Boolean()),
  labels: optional(LabelIds),
}

export const ownAutomations = area('automations', {
  'automations.list': {
    summary: 'List the automations of a workspace',
    route: 'GET /v1/automations/{workspaceId}',
    words: 'workflows triggers schedules cron jobs rules',
    access: ['automations:read'],
    path: object({ workspaceId: WorkspaceId }),
    query: list({
      sort: ['created', 'updated', 'name', 'id'],
      filter: ['id', 'name', 'enabled', 'ownerId', 'labels'],
      also: ['q', 'span'],
    }),
    result: page(Automation),
  },
  'automations.get': {
    summary: 'Show an automation',
    route: 'GET /v1/automations/{workspaceId}/{id}',
    words: 'workflow definition steps details',
    access: ['automations:read'],
    path: object(automationKey),
    result: Automation,
    etag: true,
    errors: ['not_found'],
  },
  'automations.post': {
    counts: 'automations',
    summary: 'Create an automation',
    description:
      'It is checked whole: every path, type, grant and time. It acts in your name, within `grants`, and never with ' +
      'more than you may at that moment.',
    route: 'POST /v1/automations',
    words: 'new workflow schedule trigger cron when',
    access: ['automations:write'],
    restricted: agentCallers,
    body: object({ workspaceId: WorkspaceId, name, triggers, steps, grants, ...terms, ...beside }),
    result: AutomationWithSecret,
    status: 201,
  },
  'automations.patch': {
    summary: 'Change, enable or disable an automation',
    description:
      'What changes what it does is a new version, and acts in your name from then on: you must hold all that it is ' +
      'granted. Executions that are under way keep the version they began with.',
    route: 'PATCH /v1/automations/{workspaceId}/{id}',
    words: 'edit workflow enable disable turn off rename',
    access: ['automations:write'],
    restricted: agentCallers,
    path: object(automationKey),
    body: object({
      name: optional(name),
      triggers: optional(triggers),
      steps: optional(steps),
      grants: optional(grants),
      ...terms,
      ...beside,
    }),
    result: AutomationWithSecret,
    etag: true,
    errors: ['not_found', 'conflict'],
  },
  'automations.del': {
    summary: 'Delete an automation with its history',
    description: 'Executions that are under way are cancelled. To keep it from running only, disable it.',
    route: 'DELETE /v1/automations/{workspaceId}/{id}',
    words: 'remove erase workflow',
    access: ['automations:delete'],
    reach: 'own',
    path: object(automationKey),
    result: deleted('automation', automationKey),
    errors: ['not_found'],
  },
  'automations.trigger': {
    summary: 'Start an automation by hand',
    description: 'One with the trigger `manual`. `input` is what its form asks for.',
    past: 'started',
    route: 'POST /v1/automations/{workspaceId}/{id}/trigger',
    words: 'run now execute manually test',
    access: ['automations:write'],
    restricted: agentCallers,
    path: object(automationKey),
    body: object({
      input: optional(Type.Record(Type.String(), Type.Unknown(), { examples: [{ service: 'checkout' }] })),
      payload: optional(Type.Record(Type.String(), Type.Unknown(), { description: 'Another name of `input`.' })),
    }),
    result: Execution,
    status: 202,
    errors: ['not_found'],
  },
  'automations.dryRun': {
    summary: 'Show what an automation would do, without doing it',
    description:
      'With a past event by its number in the audit log, or with what a form or a webhook would bring. Reads what you ' +
      'may read; what a step would give is not known, so paths into it stay as they are written.',
    route: 'POST /v1/automations/{workspaceId}/{id}/dry_run',
    words: 'test preview simulate rehearse try',
    access: ['automations:read'],
    audit: false,
    path: object(automationKey),
    body: object({
      eventSeq: optional(Type.Integer({ minimum: 1 })),
      input: optional(Type.Record(Type.String(), Type.Unknown(), { examples: [{}] })),
      payload: optional(Type.Unknown({ description: 'As a webhook would send it.' })),
    }),
    result: object({
      starts: Type.Boolean({ description: 'Whether it would start at all.' }),
      why: Type.String({ examples: ['The trigger 0 fits.'] }),
      steps: Type.Array(
        object({
          path: Type.String(),
          id: nullable(Type.String()),
          do: Type.String(),
          operation: nullable(Type.String({ description: 'What a shorthand stands for.' })),
          input: Type.Unknown(),
          runs: choice(['yes', 'no', 'unknown'], { description: 'unknown: it hangs on what earlier steps give.' }),
          refusal: nullable(Type.String({ description: 'Why it would not be let in.' })),
        }),
      ),
    }),
    errors: ['not_found'],
  },
})

export const automations = area(
  'automations',
  {
    ...ownAutomations.operations,
    ...definitions.operations,
    ...hooks.operations,
    ...executions.operations,
    ...versions.operations,
    ...templates.operations,
  },
  {
    about: 'When something happens, do these steps: by schedule, event, webhook or hand.',
    carries: {
      automations: {
        without: ['failures', 'hook_hint'],
        secrets: ['hook_secret'],
        stilled: {
          enabled: { true: false },
          from_seq: { '*': 0 },
          disabled_reason: {
            when: 'enabled',
            is: 'It came with the import of a workspace: look at it, and turn it on.',
          },
        },
      },
      automation_versions: {},
      automation_executions: {
        without: ['lease_until', 'waits_until'],
        stilled: { status: { pending: 'cancelled', delayed: 'cancelled', running: 'cancelled', waiting: 'cancelled' } },
      },
      automation_steps: { without: ['waits_for', 'until'], stilled: { status: { waiting: 'skipped' } } },
    },
    leaves: {
      automation_hooks: 'opens a webhook',
      automation_schedules: 'is made again when the automation is turned on',
      automation_tokens: 'opens the workspace for an execution',
    },
    records: {
      automation: {
        id: AutomationId,
        table: 'automations',
        title: 'name',
        search: ['name', 'description'],
        owned: true,
        labels: true,
      },
    },
    refers: {
      'automations.granted_by': 'workspace_member',
      'automation_versions.author_user_id': 'workspace_member',
      'automation_versions.author_team_id': 'team',
      'automation_versions.author_client_id': 'oauth_client',
      'automation_executions.by_user_id': 'workspace_member',
      'automation_executions.granted_by': 'workspace_member',
      'automation_executions.thread_id': 'thread',
    },
    events: {
      'automations.failed': 'An execution of an automation failed',
      'automations.disabled': 'An automation was disabled: it failed five times in a row, or nobody stands behind it',
    },
    notifies: {
      'automations.failed': {
        title: 'An automation of mine failed',
        text: 'The automation {target} failed: {why}',
      },
      'automations.disabled': {
        title: 'An automation of mine was disabled',
        text: 'The automation {target} was disabled: {why}',
      },
    },
  },
)
