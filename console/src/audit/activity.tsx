// What happened to one record, from the ledger.
import { Stack } from '@mantine/core'
import { History } from 'lucide-react'
import { useState } from 'react'
import { useCall } from '../api.ts'
import { Empty, Loaded, Panel } from '../parts/page.tsx'
import { useWorkspaceId } from '../session.ts'
import { Paging } from '../table/paging.tsx'
import { EntryLine } from './sentence.tsx'

const perPage = 20

export function Activity({ targetId }: { targetId: string }) {
  const workspaceId = useWorkspaceId()
  const [page, setPage] = useState(1)
  const input = { workspaceId, targetId, page, perPage, orderBy: 'seq' as const, order: 'desc' as const }
  const log = useCall('audit_logs.list', input, { keep: true })
  return (
    <Panel title="Activity">
      <Loaded query={log}>
        {({ items, count }) =>
          items.length === 0 ? (
            <Empty icon={History} title="Nothing yet" text="Each change of the record is written here." />
          ) : (
            <>
              <Stack gap="sm">
                {items.map(entry => (
                  <EntryLine key={entry.id} entry={entry} />
                ))}
              </Stack>
              <Paging page={page} perPage={perPage} count={count} onPage={setPage} />
            </>
          )
        }
      </Loaded>
    </Panel>
  )
}
