// Asks before input that was not sent, or a secret that is shown once, is left behind.
import { Button, Group, Modal, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'

type GuardProps = {
  isOn: () => boolean
  title: string
  text: string
  leave: string
  stay: string
  /** What was typed is left behind by another tab of the same page, too. */
  isOfTab?: boolean
}

export function Guard({ isOn, title, text, leave, stay, isOfTab = false }: GuardProps) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      (current.pathname !== next.pathname ||
        (isOfTab && JSON.stringify(current.search) !== JSON.stringify(next.search))) &&
      isOn(),
    enableBeforeUnload: isOn,
    withResolver: true,
  })
  return (
    <Modal opened={status === 'blocked'} onClose={() => reset?.()} title={title} zIndex={500}>
      <Text size="sm">{text}</Text>
      <Group justify="flex-end" gap="xs" mt="md">
        <Button variant="default" onClick={() => proceed?.()}>
          {leave}
        </Button>
        <Button onClick={() => reset?.()} data-autofocus>
          {stay}
        </Button>
      </Group>
    </Modal>
  )
}

/** For a form: nothing that was typed is lost by a click on the menu. */
export function UnsentGuard({ isOn, isOfTab = false }: Pick<GuardProps, 'isOn' | 'isOfTab'>) {
  return (
    <Guard
      isOn={isOn}
      isOfTab={isOfTab}
      title="Leave without sending?"
      text="What you typed on this page is not sent yet and would be lost."
      leave="Leave"
      stay="Stay"
    />
  )
}
