// Takes the log away as a file, saying how far it is; it can be stopped.
import { Button, Group, Menu, Modal, Stack, Text } from '@mantine/core'
import { Download } from 'lucide-react'
import { useRef, useState } from 'react'
import { addressOf, download } from '../../api.ts'
import { saveFile } from '../../parts/download.ts'
import { Failure } from '../../parts/failure.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import { inputOf } from '../../table/data_table.tsx'
import { type Look, useLook } from '../../table/look.ts'

type Format = 'ndjson' | 'csv'

const types = { ndjson: 'application/x-ndjson', csv: 'text/csv' }

/** What is on the screen, in the order of the log. */
function filtersOf(look: Look): object {
  const { orderBy: _, order: __, ...wanted } = inputOf('audit_logs.list', look)
  return wanted
}

export function ExportButton() {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const [look] = useLook()
  const [format, setFormat] = useState<Format | null>(null)
  const [bytes, setBytes] = useState(0)
  const [error, setError] = useState<unknown>(null)
  const stop = useRef<AbortController>(null)

  const take = async (chosen: Format) => {
    const controller = new AbortController()
    stop.current = controller
    setFormat(chosen)
    setBytes(0)
    setError(null)
    try {
      const address = addressOf('audit_logs.export', { workspaceId, format: chosen, ...filtersOf(look) })
      const parts = await download(address, setBytes, controller.signal)
      saveFile(`audit-log.${chosen}`, types[chosen], parts)
      setFormat(null)
      done('The audit log is downloaded.')
    } catch (failure) {
      if (!controller.signal.aborted) setError(failure)
    }
  }
  const close = () => {
    stop.current?.abort()
    setFormat(null)
  }
  if (!may('audit_logs.export')) return null
  return (
    <>
      <Menu position="bottom-end" width={280}>
        <Menu.Target>
          <Button variant="default" leftSection={<Download size={16} aria-hidden />}>
            Export
          </Button>
        </Menu.Target>
        <Menu.Dropdown aria-label="Export">
          <Menu.Item onClick={() => void take('csv')}>CSV, for a spreadsheet</Menu.Item>
          <Menu.Item onClick={() => void take('ndjson')}>NDJSON, to be checked offline</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Modal opened={format !== null} onClose={close} title="Export of the audit log" closeOnClickOutside={false}>
        <Stack>
          {error ? (
            <Failure error={error} onRetry={() => format && void take(format)} />
          ) : (
            <Text size="sm" role="status">
              {Math.round(bytes / 1024).toLocaleString('en')} kB so far…
            </Text>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {error ? 'Close' : 'Stop'}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  )
}
