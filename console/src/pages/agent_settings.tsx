// Who runs agents in the workspace, which model the built-in runner asks, and how much it may use.
import type { ResultOf } from '../../../src/client/catalogue.ts'
import type { FieldHint } from '../form/field.ts'
import { Form } from '../form/form.tsx'
import { UnsentGuard } from '../form/guard.tsx'
import { Panel } from '../parts/page.tsx'
import { done } from '../parts/toast.tsx'
import { useWorkspaceId } from '../session.ts'

type Settings = ResultOf<'workspaces.settings.get'>

const model = 'The model of the built-in runner'
const limits = 'What the built-in runner may use'
const isBuiltin = ({ runner }: Readonly<Record<string, unknown>>) => runner === 'builtin'

const number = (name: string, label: string, about: string, schema: FieldHint['schema']): FieldHint => {
  return { name, label, about, group: limits, isNullable: true, schema, isShown: isBuiltin }
}
/** One that is never empty. */
const needed = (...told: Parameters<typeof number>): FieldHint => {
  return { ...number(...told), isNullable: false, isNeeded: true, isMarked: false }
}
const whole = { type: 'integer', minimum: 1, maximum: 1_000_000_000 }
const amount = { type: 'number', minimum: 0, maximum: 1_000_000_000 }
const unlimited = 'Empty: no limit.'

const fieldsOf = (hasKey: boolean): FieldHint[] => [
  {
    name: 'runner',
    label: 'Agents are run by',
    about: 'Nobody: agents do not answer in threads.',
    isNullable: true,
    schema: { type: 'string' },
    choices: [
      { value: 'builtin', label: 'The built-in runner' },
      { value: 'external', label: 'Runners that claim runs' },
    ],
  },
  {
    name: 'maxRunsPerDay',
    label: 'Runs a day at most',
    about: 'Empty: as many as are started.',
    isNullable: true,
    schema: { type: 'integer', minimum: 0, maximum: 1_000_000 },
  },
  {
    name: 'wire',
    label: 'How the model is asked',
    group: model,
    isNeeded: true,
    isMarked: false,
    schema: { type: 'string' },
    choices: [
      { value: 'openai', label: 'As OpenAI does (/chat/completions)' },
      { value: 'anthropic', label: 'As Anthropic does (/messages)' },
    ],
    isShown: isBuiltin,
  },
  {
    name: 'baseUrl',
    label: 'Address of the endpoint',
    about: 'With its version. The operator must allow private addresses (OUTBOUND_ALLOW).',
    placeholder: 'https://models.example.com/v1',
    group: model,
    isNullable: true,
    schema: { type: 'string', format: 'url', maxLength: 2048 },
    isShown: isBuiltin,
  },
  {
    name: 'model',
    label: 'Model',
    group: model,
    isNullable: true,
    schema: { type: 'string', maxLength: 128 },
    isShown: isBuiltin,
  },
  {
    name: 'key',
    label: 'Key of the endpoint',
    about: hasKey ? 'One is set. It is never shown; type another to replace it.' : 'It is kept sealed and never shown.',
    autoComplete: 'off',
    group: model,
    schema: { type: 'string', maxLength: 4096, 'x-secret': true },
    isShown: isBuiltin,
  },
  needed('maxStepsPerRun', 'Steps of a run', 'How often it asks the model.', { ...whole, maximum: 1_000 }),
  needed('maxMinutesPerRun', 'Minutes of a run', 'Without the time that it waits for people.', {
    ...whole,
    maximum: 1_440,
  }),
  needed('maxOutputTokens', 'Tokens of one answer', 'Longer answers are cut.', { ...whole, maximum: 200_000 }),
  number('maxTokensPerRun', 'Tokens of a run', unlimited, whole),
  number('maxTokensPerDay', 'Tokens a day', unlimited, whole),
  number('priceIn', 'Price of a million tokens read', 'Needed to limit costs.', amount),
  number('priceOut', 'Price of a million tokens written', 'Needed to limit costs.', amount),
  number('maxCostPerRun', 'Cost of a run', unlimited, amount),
  number('maxCostPerDay', 'Cost a day', unlimited, amount),
]

/** Only what was changed is sent; the rest stays as it is. */
export function AgentSettings({ rules, isOpen }: { rules: Settings; isOpen: boolean }) {
  const workspaceId = useWorkspaceId()
  return (
    <Panel title="Agents">
      <Form
        guard={UnsentGuard}
        id="workspaces.settings.patch"
        fixed={{ workspaceId }}
        record={rules.agent}
        fields={fieldsOf(rules.secretsSet.includes('agent.key'))}
        label="Save"
        isLocked={!isOpen}
        toInput={agent => ({ agent })}
        onDone={() => done('The settings for agents are saved.')}
      />
    </Panel>
  )
}
