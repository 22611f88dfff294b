// Short notices in a live region: what was just done, or did not work.
import { Notification, Stack } from '@mantine/core'
import { useWatched, watched } from '../store.ts'

type Toast = { id: number; text: string; isBad: boolean }

const toasts = watched<readonly Toast[]>([])
const goodMs = 5_000
const badMs = 12_000
let count = 0

export function done(text: string): void {
  show(text, false)
}

export function failed(error: unknown): void {
  show(error instanceof Error ? error.message : 'That did not work.', true)
}

function show(text: string, isBad: boolean): void {
  const id = count++
  toasts.set([...toasts.get().slice(-3), { id, text, isBad }])
  setTimeout(() => drop(id), isBad ? badMs : goodMs)
}

function drop(id: number): void {
  toasts.set(toasts.get().filter(toast => toast.id !== id))
}

/** Always in the page, so that what appears in it is read out. */
export function Toasts() {
  const shown = useWatched(toasts)
  return (
    <Stack className="atrium-toasts" gap="xs" role="status" aria-live="polite">
      {shown.map(({ id, text, isBad }) => (
        <Notification
          key={id}
          color={isBad ? 'red' : 'green'}
          withBorder
          onClose={() => drop(id)}
          closeButtonProps={{ 'aria-label': 'Dismiss' }}
          role="none"
        >
          {text}
        </Notification>
      ))}
    </Stack>
  )
}
