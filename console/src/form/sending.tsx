// The end of every form: what went wrong, the way back, and the button that can be pressed again.
import { Button, Group } from '@mantine/core'
import type { Act } from '../api.ts'
import { Failure } from '../parts/failure.tsx'
import { LinkButton } from '../parts/links.tsx'

export type SendingProps = {
  act: Act
  /** What the button says: the act itself, never "OK". */
  label: string
  /** What closes a dialog, or the address that is gone back to. */
  cancel?: (() => void) | string
  color?: string | undefined
  isReady?: boolean
  isWide?: boolean
}

export function Sending({ act, label, cancel, color, isReady = true, isWide = false }: SendingProps) {
  const send = (
    <Button type="submit" loading={act.isPending} disabled={!isReady} fullWidth={isWide} {...(color && { color })}>
      {label}
    </Button>
  )
  return (
    <>
      <Failure error={act.error} />
      {isWide ? (
        send
      ) : (
        <Group justify="flex-end" gap="xs">
          {typeof cancel === 'function' && (
            <Button variant="default" onClick={cancel}>
              Cancel
            </Button>
          )}
          {typeof cancel === 'string' && (
            <LinkButton to={cancel as '/'} variant="default">
              Cancel
            </LinkButton>
          )}
          {send}
        </Group>
      )}
    </>
  )
}
