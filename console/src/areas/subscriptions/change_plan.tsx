// Another plan, cycle or number of seats: what it costs is shown first, and is what is then paid.
import { Button, Group, Modal, NumberInput, Select, Stack, Table, Text } from '@mantine/core'
import { useState } from 'react'
import type { ResultOf } from '../../../../src/client/catalogue.ts'
import { useAct, useCall } from '../../api.ts'
import { dateOf } from '../../format.ts'
import { Failure } from '../../parts/failure.tsx'
import { RowTable } from '../../parts/table.tsx'
import { done } from '../../parts/toast.tsx'
import { amountOf } from '../billing/amounts.ts'

type Subscription = ResultOf<'subscriptions.get'>
type Preview = ResultOf<'subscriptions.preview'>
type Cycle = Subscription['cycle']

export function ChangePlan({ subscription, onClose }: { subscription: Subscription; onClose: () => void }) {
  const { workspaceId, provider, periodEnd } = subscription
  const plans = useCall('subscriptions.plans', {})
  const [plan, setPlan] = useState(subscription.plan)
  const [cycle, setCycle] = useState<Cycle>(subscription.cycle)
  const [seats, setSeats] = useState(subscription.seats)
  const preview = useAct('subscriptions.preview')
  const change = useAct('subscriptions.patch', {
    onDone: () => {
      done('The plan is changed.')
      onClose()
    },
    touches: ['billing'],
  })
  const checkout = useAct('subscriptions.checkout', { onDone: ({ url }) => window.location.assign(url) })
  // Who pays at a provider for the first time enters a card there.
  const isFirst = (provider === 'stripe' || provider === 'custom') && periodEnd === null && plan !== subscription.plan
  const here = window.location.href
  const wanted = { workspaceId, plan, cycle, seats }
  const set = (apply: () => void) => {
    apply()
    preview.reset()
  }
  return (
    <Modal opened onClose={onClose} title="Change the plan" size="lg">
      <Stack>
        <Group grow align="start">
          <Select
            label="Plan"
            data={choicesOf(plans.data?.plans ?? [], subscription.plan)}
            value={plan}
            onChange={value => set(() => setPlan(value ?? plan))}
            allowDeselect={false}
          />
          <Select
            label="Paid"
            data={[
              { value: 'monthly', label: 'Every month' },
              { value: 'annual', label: 'Every year' },
            ]}
            value={cycle}
            onChange={value => set(() => setCycle((value ?? cycle) as Cycle))}
            allowDeselect={false}
          />
          <NumberInput
            label="Seats"
            inputWrapperOrder={['label', 'input', 'description']}
            description={`Taken: ${subscription.seatsUsed}`}
            min={1}
            max={10_000}
            value={seats}
            onChange={value => set(() => setSeats(Number(value) || 1))}
          />
        </Group>
        {preview.data && <Previewed preview={preview.data} />}
        <Failure error={preview.error ?? change.error ?? checkout.error} />
        <Group justify="flex-end">
          <Button variant="default" loading={preview.isPending} onClick={() => preview.mutate(wanted)}>
            Show what it costs
          </Button>
          {preview.data && !isFirst && (
            <Button
              loading={change.isPending}
              onClick={() => change.mutate({ ...wanted, previewedAt: preview.data?.at ?? '' })}
            >
              Change
            </Button>
          )}
          {preview.data && isFirst && (
            <Button
              loading={checkout.isPending}
              onClick={() => checkout.mutate({ ...wanted, successUrl: here, cancelUrl: here })}
            >
              Go to the payment
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  )
}

/** With the plan that is had, which may be one that nobody else is offered. */
function choicesOf(offered: readonly { id: string; name: string }[], had: string) {
  const choices = offered.map(({ id, name }) => ({ value: id, label: name }))
  return offered.some(({ id }) => id === had) ? choices : [{ value: had, label: had }, ...choices]
}

function Previewed({ preview }: { preview: Preview }) {
  const { status, currency, lines, totalMinor, taxMinor, balanceMinor, when, effectiveAt, nextInvoice, warnings } =
    preview
  return (
    <Stack gap="xs" aria-live="polite">
      <Text size="sm">
        {status === 'trialing'
          ? 'It begins with a trial, and costs nothing until that ends.'
          : when === 'now'
            ? 'It takes effect at once.'
            : `It takes effect on ${dateOf(effectiveAt)}, and costs nothing now.`}
      </Text>
      {lines.length > 0 && (
        <RowTable label="What is charged now" heads={['What', 'Amount']} minWidth={320}>
          {lines.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other identity
            <Table.Tr key={index}>
              <Table.Td>{line.description}</Table.Td>
              <Table.Td>{amountOf(line.amountMinor, currency)}</Table.Td>
            </Table.Tr>
          ))}
        </RowTable>
      )}
      <Text size="sm" fw={600}>
        Now: {amountOf(totalMinor, currency)}
        {taxMinor !== 0 && `, with ${amountOf(taxMinor, currency)} of tax`}
        {balanceMinor > 0 && `, after ${amountOf(balanceMinor, currency)} of balance`}
      </Text>
      {nextInvoice && (
        <Text size="sm">
          On {dateOf(nextInvoice.at)}: {amountOf(nextInvoice.subtotalMinor, currency)}, without tax and usage.
        </Text>
      )}
      {warnings.map(({ dimension, detail }) => (
        <Text key={dimension} size="sm" c="yellow.8">
          {detail}
        </Text>
      ))}
    </Stack>
  )
}
