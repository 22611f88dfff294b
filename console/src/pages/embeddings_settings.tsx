// By which endpoint memories are found by meaning too, and whether they are.
import { Alert, Text } from '@mantine/core'
import type { ResultOf } from '../../../src/client/catalogue.ts'
import type { FieldHint } from '../form/field.ts'
import { Form } from '../form/form.tsx'
import { UnsentGuard } from '../form/guard.tsx'
import { dateOf } from '../format.ts'
import { Panel } from '../parts/page.tsx'
import { done } from '../parts/toast.tsx'
import { useWorkspaceId } from '../session.ts'

type Settings = ResultOf<'workspaces.settings.get'>

const fieldsOf = (hasKey: boolean): FieldHint[] => [
  {
    name: 'baseUrl',
    label: 'Address of the embeddings endpoint',
    about:
      'With its version; empty: searches rank by words. It is sent memories that are not private, and what people search for.',
    placeholder: 'https://models.example.com/v1',
    isNullable: true,
    schema: { type: 'string', format: 'url', maxLength: 2048 },
  },
  { name: 'model', label: 'Embeddings model', isNullable: true, schema: { type: 'string', maxLength: 128 } },
  {
    name: 'threshold',
    label: 'Nearness from which a memory is found',
    about: '0 to 1. Models differ: raise it where searches find what does not belong there.',
    isNeeded: true,
    isMarked: false,
    schema: { type: 'number', minimum: 0, maximum: 1 },
  },
  {
    name: 'key',
    label: 'Key of the embeddings endpoint',
    about: hasKey ? 'One is set. It is never shown; type another to replace it.' : 'It is kept sealed and never shown.',
    autoComplete: 'off',
    schema: { type: 'string', maxLength: 4096, 'x-secret': true },
  },
]

/** Only what was changed is sent; the rest stays as it is. */
export function EmbeddingsSettings({ rules, isOpen }: { rules: Settings; isOpen: boolean }) {
  const workspaceId = useWorkspaceId()
  const { baseUrl, notUsedBecause, lastError, lastErrorAt } = rules.embeddings
  return (
    <Panel title="Memories by meaning">
      {baseUrl !== null && notUsedBecause !== null && (
        <Alert color="yellow" mb="md">
          <Text size="sm">{notUsedBecause}</Text>
        </Alert>
      )}
      {lastError !== null && (
        <Alert color="red" mb="md">
          <Text size="sm">
            {lastError} {lastErrorAt !== null && `(${dateOf(lastErrorAt)})`}
          </Text>
        </Alert>
      )}
      <Form
        guard={UnsentGuard}
        id="workspaces.settings.patch"
        fixed={{ workspaceId }}
        record={rules.embeddings}
        fields={fieldsOf(rules.secretsSet.includes('embeddings.key'))}
        label="Save"
        isLocked={!isOpen}
        toInput={embeddings => ({ embeddings })}
        onDone={() => done('The settings for memories are saved.')}
      />
    </Panel>
  )
}
