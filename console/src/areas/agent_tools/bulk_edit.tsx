// One rule for several tools at once.
import { Button, Group, Select, Text } from '@mantine/core'
import { useState } from 'react'
import { call, queryClient } from '../../api.ts'
import { countOf } from '../../format.ts'
import { Failure } from '../../parts/failure.tsx'
import { done } from '../../parts/toast.tsx'
import { type Column, changeTo, columns, type Mode, type Tool, titleOf } from './policy.ts'

export function BulkEdit({ tools, onDone }: { tools: readonly Tool[]; onDone: () => void }) {
  const [column, setColumn] = useState<Column>('everybody')
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const set = async (mode: Mode | null) => {
    setIsBusy(true)
    setError(null)
    try {
      for (const { workspaceId, name } of tools) {
        await call('agent_tools.patch', { workspaceId, name, ...changeTo(column, mode) })
      }
      done(`${countOf(tools.length, 'policy', 'policies')} changed.`)
      onDone()
    } catch (failure) {
      setError(failure)
    }
    setIsBusy(false)
    void queryClient.invalidateQueries({ queryKey: ['agent_tools.list'] })
  }
  return (
    <>
      <Group gap="xs" mb="sm" align="center" role="group" aria-label="Change the chosen tools">
        <Text size="sm">{countOf(tools.length, 'tool')} for</Text>
        <Select
          size="xs"
          w={150}
          aria-label="Kind of caller"
          allowDeselect={false}
          data={columns.map(value => ({ value, label: titleOf(value) }))}
          value={column}
          onChange={value => value && setColumn(value as Column)}
        />
        <Button size="xs" variant="default" loading={isBusy} onClick={() => void set('allow')}>
          Allow
        </Button>
        <Button size="xs" variant="default" loading={isBusy} onClick={() => void set('approve')}>
          Ask
        </Button>
        <Button size="xs" variant="default" loading={isBusy} onClick={() => void set('deny')}>
          Deny
        </Button>
        {column !== 'everybody' && (
          <Button size="xs" variant="default" loading={isBusy} onClick={() => void set(null)}>
            Default
          </Button>
        )}
      </Group>
      <Failure error={error} />
    </>
  )
}
