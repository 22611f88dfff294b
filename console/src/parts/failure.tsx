// What went wrong, in words that say what to do next; the person's input stays where it is.
import { Alert, Button, Group, Text } from '@mantine/core'
import { CircleAlert, CloudOff, Hourglass, LogIn } from 'lucide-react'
import { useEffect, useState } from 'react'
import { RequestError, SessionOver, SlowDown, Unreachable } from '../api.ts'
import { countOf } from '../format.ts'

type Told = { title: string; text: string; icon: typeof CircleAlert }

const titles: Readonly<Record<number, string>> = {
  400: 'Please check your input',
  401: 'Not accepted',
  402: 'The plan does not include this',
  403: 'You may not do this',
  404: 'Not found',
  409: 'This does not go with what is there',
  410: 'This is gone',
  413: 'That is too large',
}

function tell(error: unknown): Told {
  if (error instanceof Unreachable) return { title: 'No connection', text: error.message, icon: CloudOff }
  if (error instanceof SlowDown) {
    return { title: 'Slow down', text: `${error.message} Your input is kept.`, icon: Hourglass }
  }
  if (error instanceof SessionOver) {
    return { title: 'Your session has ended', text: 'Log in and try again. Your input is kept.', icon: LogIn }
  }
  if (error instanceof TypeError && /import|module/i.test(error.message)) {
    const text = 'The service does not answer, or the console was updated meanwhile. Try again, or reload the page.'
    return { title: 'The page could not be loaded', text, icon: CloudOff }
  }
  if (error instanceof RequestError) {
    const title = titles[error.status] ?? 'Something went wrong on the service’s side'
    const id = error.metadata?.requestId
    const text = id ? `${error.message} Your input is kept. Request ${id}.` : error.message
    return { title, text, icon: CircleAlert }
  }
  return { title: 'Something went wrong', text: 'Reload the page and try again.', icon: CircleAlert }
}

type FailureProps = { error: unknown; onRetry?: (() => void) | undefined }

/** What will be refused again as it is: asking once more helps nobody. */
function isFinal(error: unknown): boolean {
  return error instanceof RequestError && [400, 402, 403, 404, 410].includes(error.status)
}

/** Announced at once; counts down where the service asks to wait. */
export function Failure({ error, onRetry }: FailureProps) {
  const left = useCountdown(error instanceof SlowDown ? error.seconds : 0, error)
  if (!error) return null
  const { title, text, icon: Icon } = tell(error)
  return (
    <Alert role="alert" color="red" title={title} icon={<Icon size={18} aria-hidden />}>
      <Text size="sm">{text}</Text>
      {left > 0 && <Text size="sm">You can go on in {countOf(left, 'second')}.</Text>}
      {onRetry && !isFinal(error) && (
        <Group mt="xs">
          <Button size="xs" variant="default" onClick={onRetry} disabled={left > 0}>
            Try again
          </Button>
        </Group>
      )}
    </Alert>
  )
}

function useCountdown(seconds: number, reason: unknown): number {
  const [left, setLeft] = useState(seconds)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new refusal of the same length starts anew
  useEffect(() => {
    setLeft(seconds)
    if (seconds === 0) return
    const timer = setInterval(() => setLeft(before => Math.max(0, before - 1)), 1000)
    return () => clearInterval(timer)
  }, [seconds, reason])
  return left
}
