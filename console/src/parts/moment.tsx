// A time as people say it, with the exact one behind it.
import { Text, Tooltip } from '@mantine/core'
import { agoOf, momentOf } from '../format.ts'

export function Moment({ at, none = 'Never' }: { at: string | null; none?: string }) {
  if (at === null) {
    return (
      <Text span size="sm" c="dimmed">
        {none}
      </Text>
    )
  }
  return (
    <Tooltip label={momentOf(at)}>
      <Text span size="sm">
        <time dateTime={at}>{agoOf(at)}</time>
      </Text>
    </Tooltip>
  )
}
