// Scopes of a record: how many in a list, which ones on its page.
import { Badge, Group, Stack, Text } from '@mantine/core'
import { countOf, wordsOf } from '../format.ts'

export function ScopeCount({ value }: { value: unknown }) {
  return (
    <Text size="sm" className="atrium-nowrap">
      {countOf(Array.isArray(value) ? value.length : 0, 'scope')}
    </Text>
  )
}

/** By area, so that seventy of them can be read. */
export function ScopeList({ value }: { value: unknown }) {
  const scopes = Array.isArray(value) ? (value as string[]) : []
  const areas = Map.groupBy(scopes, scope => scope.split(':')[0] ?? '')
  if (scopes.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {value === null ? 'All that the role has' : 'None: it can only say who it belongs to'}
      </Text>
    )
  }
  return (
    <Stack gap={4}>
      {[...areas].map(([area, own]) => (
        <Group key={area} gap={4}>
          <Text size="sm" miw={130}>
            {wordsOf(area)}
          </Text>
          {own.map(scope => (
            <Badge key={scope} color={scope.endsWith(':read') ? 'gray' : scope.endsWith(':delete') ? 'red' : 'blue'}>
              {scope.split(':')[1]}
            </Badge>
          ))}
        </Group>
      ))}
    </Stack>
  )
}
