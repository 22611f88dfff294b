// A session that ended in the middle of work: log in again right here, and nothing that was typed is lost.
import { Modal, Text } from '@mantine/core'
import { queryClient } from '../api.ts'
import { LoginForm } from '../pages/entering/login.tsx'
import { LinkText } from '../parts/links.tsx'
import { done } from '../parts/toast.tsx'
import { forgetEverything, provenName, useMe } from '../session.ts'

export function SessionEnded({ onClose }: { onClose: () => void }) {
  const me = useMe()
  const goOn = (userId: string) => {
    // Somebody else's pages must not show through.
    if (me && me.id !== userId) {
      forgetEverything()
      window.location.assign('/')
      return
    }
    onClose()
    void queryClient.invalidateQueries()
    done('You are logged in again. Go on where you were.')
  }
  return (
    <Modal opened onClose={onClose} title="Your session has ended" closeOnClickOutside={false}>
      <Text size="sm" mb="md">
        Log in again to go on; what you typed on this page is kept. Or{' '}
        <LinkText to="/login" inherit onClick={forgetEverything}>
          log in as somebody else
        </LinkText>
        .
      </Text>
      <LoginForm name={provenName(me)} onDone={({ id }) => goOn(id)} />
    </Modal>
  )
}
