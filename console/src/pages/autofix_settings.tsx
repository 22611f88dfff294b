// Who must approve a change of code before it is applied.
import type { ResultOf } from '../../../src/client/catalogue.ts'
import type { FieldHint } from '../form/field.ts'
import { Form } from '../form/form.tsx'
import { UnsentGuard } from '../form/guard.tsx'
import { Panel } from '../parts/page.tsx'
import { done } from '../parts/toast.tsx'
import { useWorkspaceId } from '../session.ts'

type Settings = ResultOf<'workspaces.settings.get'>

const fields: FieldHint[] = [
  {
    name: 'mode',
    label: 'Autofixes are applied',
    about: 'Applied means a new branch. No branch that is there is changed.',
    isNeeded: true,
    isMarked: false,
    schema: { type: 'string' },
    choices: [
      { value: 'approval', label: 'Once people have approved them' },
      { value: 'auto', label: 'Without approvals where they apply cleanly' },
    ],
  },
  {
    name: 'requiredApprovals',
    label: 'People who must approve an autofix',
    about: '0 to 3. Whoever started the agent that made it cannot be the only one.',
    isNeeded: true,
    isMarked: false,
    schema: { type: 'integer', minimum: 0, maximum: 3 },
  },
]

/** Only what was changed is sent; the rest stays as it is. */
export function AutofixSettings({ rules, isOpen }: { rules: Settings; isOpen: boolean }) {
  const workspaceId = useWorkspaceId()
  return (
    <Panel title="Autofixes">
      <Form
        guard={UnsentGuard}
        id="workspaces.settings.patch"
        fixed={{ workspaceId }}
        record={rules.autofix}
        fields={fields}
        label="Save"
        isLocked={!isOpen}
        toInput={autofix => ({ autofix })}
        onDone={() => done('The settings for autofixes are saved.')}
      />
    </Panel>
  )
}
