// A real call with an integration: as a test, or with what its places are filled in with. The answer stays in the dialog.
import { Alert, Button, Group, JsonInput, Modal, Stack, Text } from '@mantine/core'
import { CircleCheck, TriangleAlert } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { useAct } from '../../api.ts'
import type { Row } from '../../named.ts'
import { Failure } from '../../parts/failure.tsx'
import { Facts } from '../../parts/table.tsx'
import { type Integration, typeIn, useCatalog } from './catalog.ts'
import { Content } from './content.tsx'

type DialogProps = { record: Row; onClose: () => void }

/** What the button will do, before it does it. */
function aboutOf({ type, config }: Integration, isSent: boolean): string {
  if (type === 'custom')
    return `The request is made as it is set up: ${String(config.method ?? 'POST')}, with empty places.`
  if (type === 'inbound') return 'Looks whether it is set up. To try it, send something to its address.'
  if (type === 'mcp') return 'The server is asked for its tools. None is called.'
  return isSent ? 'A test event is sent, now and once.' : 'The other system is asked something small.'
}

export function TestDialog({ record, onClose }: DialogProps) {
  const integration = record as Integration
  const { workspaceId, id, name } = integration
  const type = typeIn(useCatalog().data, integration.type)
  const act = useAct('integrations.test')
  return (
    <Modal opened onClose={onClose} title={`Test ${name}`} size="lg">
      <Stack>
        <Text size="sm">{aboutOf(integration, type?.directions[0] === 'out' && integration.type !== 'email')}</Text>
        <Failure error={act.error} onRetry={act.again} />
        {act.data && (
          <Stack gap="sm" role="status">
            <Outcome isOk={act.data.ok} text={act.data.detail} />
            <Facts
              label="What came of it"
              facts={[
                ['Status code', act.data.code ?? 'None'],
                ['Took', `${act.data.ms} ms`],
              ]}
            />
            {act.data.request && <Content title="Request" text={act.data.request} />}
            {act.data.response && <Content title="Answer" text={act.data.response} />}
          </Stack>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button data-autofocus loading={act.isPending} onClick={() => act.mutate({ workspaceId, id })}>
            {act.data ? 'Test again' : 'Run the test'}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

function Outcome({ isOk, text }: { isOk: boolean; text: string }) {
  const Icon = isOk ? CircleCheck : TriangleAlert
  return (
    <Alert
      color={isOk ? 'green' : 'red'}
      title={isOk ? 'It works' : 'It did not work'}
      icon={<Icon size={18} aria-hidden />}
    >
      <Text size="sm">{text}</Text>
      {!isOk && <Text size="sm">Put it right under Settings, or at the other end, and test again.</Text>}
    </Alert>
  )
}

const isObject = (text: string) => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

/** The request of a `custom` integration, with its places filled in. */
export function CallDialog({ record, onClose }: DialogProps) {
  const { workspaceId, id, name } = record as Integration
  const [text, setText] = useState('{}')
  const act = useAct('integrations.call')
  const isReady = isObject(text)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isReady) act.mutate({ workspaceId, id, input: JSON.parse(text) as Record<string, unknown> })
  }
  return (
    <Modal opened onClose={onClose} title={`Call ${name}`} size="lg">
      <form onSubmit={submit}>
        <Stack>
          <JsonInput
            label="Input"
            description="What its places are filled in with: {{ input.service }} takes service."
            data-autofocus
            autosize
            minRows={3}
            formatOnBlur
            value={text}
            onChange={setText}
            error={isReady ? null : 'Write an object as JSON'}
          />
          <Failure error={act.error} onRetry={act.again} />
          {act.data && (
            <Stack gap="sm" role="status">
              <Outcome isOk={act.data.ok} text={`The target answered ${act.data.status}.`} />
              <Content
                title="Answer"
                text={act.data.text ?? (act.data.json === undefined ? '' : JSON.stringify(act.data.json))}
              />
            </Stack>
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Close
            </Button>
            <Button type="submit" loading={act.isPending} disabled={!isReady}>
              {act.data ? 'Call again' : 'Call'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
