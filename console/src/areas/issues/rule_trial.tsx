// What a rule would have done with the alerts of the last 7 days.
import { Alert, Badge, Stack, Table, Text } from '@mantine/core'
import type { InputOf } from '../../../../src/client/catalogue.ts'
import { useCall } from '../../api.ts'
import { countOf, wordsOf } from '../../format.ts'
import { Moment } from '../../parts/moment.tsx'
import { Loaded } from '../../parts/page.tsx'
import { Facts, RowTable } from '../../parts/table.tsx'
import { useWorkspaceId } from '../../session.ts'

export function RuleTrial({ input }: { input: Omit<InputOf<'issues.rules.test'>, 'workspaceId'> }) {
  const workspaceId = useWorkspaceId()
  const found = useCall('issues.rules.test', { workspaceId, ...input })
  return (
    <Loaded query={found} rows={3}>
      {({ scanned, partial, matched, would, fingerprints, errors, samples }) => (
        <Stack gap="sm" role="status">
          <Text size="sm">
            <strong>{countOf(matched, 'alert')}</strong> of {scanned.toLocaleString('en')} in the last 7 days
            {partial && ' (the newest)'} match.
          </Text>
          {matched === 0 && (
            <Alert color="yellow" title="It would have done nothing">
              {scanned === 0 ? 'No alert came in the last 7 days.' : 'No alert was such as the condition says.'}
            </Alert>
          )}
          {errors.map(({ value, count }) => (
            <Alert key={value} color="red" title={`The condition failed on ${countOf(count, 'alert')}`}>
              {value}
            </Alert>
          ))}
          {matched > 0 && (
            <Facts
              label="What it would have done"
              width={180}
              facts={Object.entries(would)
                .filter(([, count]) => count > 0)
                .map(([deed, count]) => [wordsOf(deed), count.toLocaleString('en')])}
            />
          )}
          {fingerprints.length > 0 && (
            <Text size="sm" c="dimmed">
              Fingerprints: {fingerprints.map(({ value, count }) => `${value} (${count})`).join(', ')}
            </Text>
          )}
          {samples.length > 0 && (
            <RowTable label="The newest that match" heads={['At', 'Alert', 'Was']} minWidth={420}>
              {samples.map((sample, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: alerts have no id, and the list is read anew as a whole
                <Table.Tr key={index}>
                  <Table.Td>
                    <Moment at={sample.at} />
                  </Table.Td>
                  <Table.Td fz="sm">{sample.title}</Table.Td>
                  <Table.Td>
                    <Badge color="gray">{wordsOf(sample.action)}</Badge>
                  </Table.Td>
                </Table.Tr>
              ))}
            </RowTable>
          )}
        </Stack>
      )}
    </Loaded>
  )
}
