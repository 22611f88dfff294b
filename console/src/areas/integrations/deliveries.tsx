// What was sent to a target: each message with its attempts, sent again one by one or all, and what was missed.
import { Button, Menu, Modal, Stack, Text } from '@mantine/core'
import { ChevronDown, History, RotateCw, Send } from 'lucide-react'
import { useState } from 'react'
import { useAct } from '../../api.ts'
import { Form } from '../../form/form.tsx'
import { countOf, labelOfField } from '../../format.ts'
import type { Row } from '../../named.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Failure } from '../../parts/failure.tsx'
import { LinkName } from '../../parts/links.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Panel } from '../../parts/page.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding } from '../../session.ts'
import { DataTable } from '../../table/data_table.tsx'
import { useLook, useOwnLook } from '../../table/look.ts'
import type { CellProps } from '../define.ts'
import type { Integration } from './catalog.ts'
import { DeliveryDetail } from './delivery.tsx'
import { pollMs } from './one_of_many.tsx'
import { Status } from './state.tsx'

export function Deliveries({ record }: { record: Row }) {
  const [{ delivery }] = useLook<{ delivery?: string }>()
  const integration = record as Integration
  return delivery ? (
    <DeliveryDetail key={delivery} integration={integration} deliveryId={delivery} />
  ) : (
    <DeliveryList integration={integration} />
  )
}

function EventCell({ record, value }: CellProps) {
  const search = (before: object) => ({ ...before, delivery: String(record.id) })
  return (
    <LinkName to="." search={search as never} data-row ff="monospace">
      {String(value)}
    </LinkName>
  )
}

const StatusOf = ({ value }: CellProps) => <Status value={value} />
const Code = ({ value }: CellProps) => <Text size="sm">{value === null ? '–' : String(value)}</Text>
const Took = ({ value }: CellProps) => (
  <Text size="sm" className="atrium-nowrap">
    {value === null ? '–' : `${String(value)} ms`}
  </Text>
)
const Next = ({ value }: CellProps) => <Moment at={(value as string | null) ?? null} none="–" />

const labels: Readonly<Record<string, string>> = {
  attempt: 'Attempts',
  code: 'Code',
  ms: 'Took',
  nextAttemptAt: 'Next attempt',
  created: 'Made',
  messageId: 'Message ID',
}

function DeliveryList({ integration }: { integration: Integration }) {
  const { workspaceId, id, status } = integration
  const { may } = useStanding()
  const [look, onLook] = useOwnLook()
  const [, open] = useLook<{ delivery?: string }>()
  const redeliver = useAct('integrations.deliveries.redeliver', {
    onDone: made => {
      done('It is sent again. What comes of it shows here.')
      open({ delivery: made.id })
    },
  })
  const many = useAct('integrations.deliveries.redeliverMany', {
    onDone: ({ redelivered }) => done(`${countOf(redelivered, 'delivery', 'deliveries')} sent again.`),
  })
  const mayResend = may('integrations.deliveries.redeliver') && status !== 'disabled'
  return (
    <Panel
      title="Deliveries"
      about="Tried ten times over three days until the target answers 2xx. Kept for 30 days."
      aside={mayResend && <Resending integration={integration} />}
    >
      <Failure error={redeliver.error} onRetry={redeliver.again} />
      <Failure error={many.error} onRetry={many.again} />
      <DataTable
        listId="integrations.deliveries.list"
        path={{ workspaceId, id }}
        keyField="id"
        columns={['event', 'status', 'attempt', 'code', 'ms', 'nextAttemptAt', 'created']}
        label="Deliveries"
        labelOf={name => labels[name] ?? labelOfField(name)}
        look={look}
        onLook={onLook}
        refetchInterval={pollMs}
        cells={{ event: EventCell, status: StatusOf, code: Code, ms: Took, nextAttemptAt: Next }}
        rowMenu={item =>
          mayResend ? (
            <Menu.Item
              leftSection={<RotateCw size={16} aria-hidden />}
              onClick={() => redeliver.mutate({ workspaceId, id, deliveryId: String(item.id) })}
            >
              Send again
            </Menu.Item>
          ) : null
        }
        bulk={
          mayResend
            ? [
                {
                  label: 'Send again',
                  onAct: (records, clear) => {
                    many.mutate({ workspaceId, id, ids: records.map(item => String(item.id)) })
                    clear()
                  },
                },
              ]
            : []
        }
        empty={{
          icon: Send,
          title: 'No deliveries yet',
          text:
            integration.events.length === 0
              ? 'It is for no events: edit its settings and choose some.'
              : 'As soon as one of its events happens, it is sent and shows here.',
        }}
      />
    </Panel>
  )
}

const statuses = ['dead', 'failed', 'cancelled'] as const

const meanings: Readonly<Record<(typeof statuses)[number], string>> = {
  dead: 'All ten attempts of these failed.',
  failed: 'These were sent again once before, which failed.',
  cancelled: 'These were waiting when it was disabled.',
}

type Open = (typeof statuses)[number] | 'backfill' | null

/** Everything of a state, or a part of what happened. */
function Resending({ integration: { workspaceId, id } }: { integration: Integration }) {
  const [isOpen, setOpen] = useState<Open>(null)
  const close = () => setOpen(null)
  const act = useAct('integrations.deliveries.redeliverMany', {
    onDone: ({ redelivered }) => {
      close()
      done(
        redelivered === 0
          ? 'There is none of that state.'
          : `${countOf(redelivered, 'delivery', 'deliveries')} sent again.`,
      )
    },
  })
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button
            size="xs"
            variant="default"
            leftSection={<RotateCw size={14} aria-hidden />}
            rightSection={<ChevronDown size={14} aria-hidden />}
          >
            Send again
          </Button>
        </Menu.Target>
        <Menu.Dropdown aria-label="Send again">
          {statuses.map(status => (
            <Menu.Item key={status} onClick={() => setOpen(status)}>
              All that are {status}
            </Menu.Item>
          ))}
          <Menu.Item leftSection={<History size={16} aria-hidden />} onClick={() => setOpen('backfill')}>
            Earlier events
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isOpen && isOpen !== 'backfill' && (
        <Confirm
          opened
          onClose={close}
          title={`Send all that are ${isOpen} again?`}
          label="Send again"
          act={act}
          onAct={() => act.mutate({ workspaceId, id, status: isOpen })}
        >
          <Text size="sm">
            {meanings[isOpen]} The newest 1,000 are sent once more, each with the message ID that it had: a receiver
            that keeps them takes none twice.
          </Text>
        </Confirm>
      )}
      <Modal opened={isOpen === 'backfill'} onClose={close} title="Send earlier events">
        <Stack>
          <Text size="sm">
            Those between two numbers that it is for, both included, at most 10,000. The numbers stand in the audit log.
            What was sent before is sent again with its message ID.
          </Text>
          <Form
            id="integrations.backfill"
            fixed={{ workspaceId, id }}
            fields={[
              { name: 'fromSeq', label: 'From number' },
              { name: 'toSeq', label: 'To number' },
            ]}
            label="Send them"
            cancel={close}
            onDone={({ numbers }) => {
              close()
              done(`${countOf(Number(numbers), 'entry', 'entries')} looked at; what it is for shows here soon.`)
            }}
          />
        </Stack>
      </Modal>
    </>
  )
}
