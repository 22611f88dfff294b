// Gives a key a new secret while the old one goes on for a while.
import { Modal, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useAct } from '../../api.ts'
import { Sending, WholeField } from '../../parts/form.tsx'
import { Secret } from './secret.tsx'
import type { Key } from './state.ts'

type RotateProps = { apiKey: Key; opened: boolean; onClose: () => void }

export function RotateKey({ apiKey, opened, onClose }: RotateProps) {
  const [overlapHours, setOverlapHours] = useState(24)
  const [token, setToken] = useState('')
  const act = useAct('api_keys.rotate', { onDone: result => setToken(result.token) })
  const { workspaceId, id } = apiKey
  const close = () => {
    onClose()
    setToken('')
    act.reset()
  }
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={token ? 'The new secret' : `Rotate ${apiKey.name}`}
      size="lg"
      closeOnClickOutside={!token}
      closeOnEscape={!token}
    >
      {token ? (
        <Secret token={token} workspaceId={workspaceId} onDone={close} />
      ) : (
        <form
          onSubmit={event => {
            event.preventDefault()
            act.mutate({ workspaceId, id, overlapHours })
          }}
        >
          <Stack>
            <Text size="sm">The key gets a new secret. The old one goes on for a while, so that nothing breaks.</Text>
            <WholeField
              label="The old secret goes on for (hours)"
              description="0 to 168; with 0 it stops at once"
              min={0}
              max={168}
              value={overlapHours}
              onChange={value => setOverlapHours(Number(value) || 0)}
              data-autofocus
            />
            <Sending act={act} label="Rotate" cancel={close} />
          </Stack>
        </form>
      )}
    </Modal>
  )
}
