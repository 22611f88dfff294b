// The next five times of a cron line, so that a slip is seen before it is sent.
import { List, Text } from '@mantine/core'
import { Cron } from 'croner'

const shown = 5
const inUtc = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

export function CronTimes({ line }: { line: string }) {
  const times = timesOf(line)
  if (times === null) {
    return (
      <Text size="xs" c="dimmed" role="status">
        Five fields: minute, hour, day of the month, month, day of the week
      </Text>
    )
  }
  return (
    <div role="status">
      <Text size="xs" c="dimmed">
        {times.length > 0 ? 'The next times, in UTC:' : 'It never comes.'}
      </Text>
      <List size="xs" c="dimmed">
        {times.map(time => (
          <List.Item key={time}>{time}</List.Item>
        ))}
      </List>
    </div>
  )
}

function timesOf(line: string): string[] | null {
  if (line.trim().split(/\s+/).length !== 5) return null
  try {
    return new Cron(line, { timezone: 'UTC', paused: true }).nextRuns(shown).map(time => inUtc.format(time))
  } catch {
    return null
  }
}
