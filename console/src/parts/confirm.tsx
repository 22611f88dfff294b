// Asks before something ends, says what goes with it, and stays open with the reason when it fails.
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { Trash2 } from 'lucide-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import type { Act } from '../api.ts'
import { Sending } from '../form/sending.tsx'

/** The way to the dialog, where what ends is the page's own subject. */
export function EndButton({ onClick, children }: { onClick: () => void; children: string }) {
  return (
    <Group>
      <Button
        variant="outline"
        color="red"
        c="var(--mantine-color-error)"
        leftSection={<Trash2 size={16} aria-hidden />}
        onClick={onClick}
      >
        {children}
      </Button>
    </Group>
  )
}

type ConfirmProps = {
  opened: boolean
  onClose: () => void
  title: string
  children: ReactNode
  label: string
  act: Act
  onAct: () => void
  /** Where one slip would cost much: what must be typed first. */
  typed?: string
}

export function Confirm({ opened, onClose, title, children, label, act, onAct, typed }: ConfirmProps) {
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
          <Sending act={act} label={label} cancel={onClose} color="red" isReady={isReady} />
        </Stack>
      </form>
    </Modal>
  )
}
