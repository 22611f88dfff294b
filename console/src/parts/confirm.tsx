// Asks before something ends, says what goes with it, and stays open with the reason when it fails.
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { Failure } from './failure.tsx'

type ConfirmProps = {
  opened: boolean
  onClose: () => void
  title: string
  children: ReactNode
  /** What the button says: the act itself, never "OK". */
  act: string
  onAct: () => void
  isActing: boolean
  error: unknown
  /** Where one slip would cost much: what must be typed first. */
  typed?: string
}

export function Confirm({ opened, onClose, title, children, act, onAct, isActing, error, typed }: ConfirmProps) {
  const [text, setText] = useState('')
  const isReady = typed === undefined || text.trim() === typed
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isReady) onAct()
  }
  return (
    <Modal opened={opened} onClose={onClose} title={title}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <div>{children}</div>
          {typed !== undefined && (
            <TextInput
              label={
                <>
                  Type <Text span inherit ff="monospace">{`${typed}`}</Text> to confirm
                </>
              }
              value={text}
              onChange={event => setText(event.currentTarget.value)}
              autoComplete="off"
              data-autofocus
            />
          )}
          <Failure error={error} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" color="red" loading={isActing} disabled={!isReady}>
              {act}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
