// The plan, what of it is used, and the way to another.
import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { ResultOf } from '../../../../src/client/catalogue.ts'
import { useAct, useCall } from '../../api.ts'
import { dateOf } from '../../format.ts'
import { Failure } from '../../parts/failure.tsx'
import { Loaded, Panel } from '../../parts/page.tsx'
import { Facts } from '../../parts/table.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import { bytesOf } from '../../units.ts'
import { dimensionWords } from '../billing/amounts.ts'
import { ChangePlan } from './change_plan.tsx'

type Subscription = ResultOf<'subscriptions.get'>

export function PlanPanel() {
  const workspaceId = useWorkspaceId()
  const subscription = useCall('subscriptions.get', { workspaceId })
  return <Loaded query={subscription}>{shown => <Shown subscription={shown} />}</Loaded>
}

function Shown({ subscription }: { subscription: Subscription }) {
  const { workspaceId, plan, cycle, seats, seatsUsed, status, periodEnd, trialEnd, cancelAt, next } = subscription
  const { may } = useStanding()
  const [isOpen, setOpen] = useState(false)
  const act = useAct('subscriptions.patch', {
    onDone: () => done('The subscription is changed.'),
    touches: ['billing'],
  })
  const plans = useCall('subscriptions.plans', {})
  const nameOf = (id: string) => plans.data?.plans.find(one => one.id === id)?.name ?? id
  const mayChange = may('subscriptions.patch')
  const facts: [string, string][] = [
    ['Plan', `${nameOf(plan)}, ${cycle}`],
    ['Seats', `${seatsUsed} of ${seats} taken`],
    ['State', status.replace('_', ' ')],
    ...(status === 'trialing' && trialEnd ? [['Trial until', dateOf(trialEnd)] as [string, string]] : []),
    ...(periodEnd ? [[cancelAt ? 'Ends' : 'Renews', dateOf(cancelAt ?? periodEnd)] as [string, string]] : []),
    ...(next ? [['Then', `${nameOf(next.plan)}, ${next.cycle}, ${next.seats} seats`] as [string, string]] : []),
  ]
  return (
    <Panel
      title="Plan"
      aside={
        mayChange && (
          <Group gap="xs">
            {periodEnd && (
              <Button
                size="xs"
                variant="default"
                loading={act.isPending}
                onClick={() => act.mutate(cancelAt ? { workspaceId, resume: true } : { workspaceId, cancel: true })}
              >
                {cancelAt ? 'Resume' : 'Cancel the plan'}
              </Button>
            )}
            <Button size="xs" onClick={() => setOpen(true)}>
              Change the plan
            </Button>
          </Group>
        )
      }
    >
      <Failure error={act.error} onRetry={act.again} />
      <Facts label="Plan" facts={facts} />
      <Stack gap="xs" mt="md">
        {subscription.warnings.map(({ dimension, detail }) => (
          <Alert key={dimension} color="yellow" title={dimensionWords[dimension]}>
            {detail}
          </Alert>
        ))}
        <Limits subscription={subscription} />
      </Stack>
      {isOpen && <ChangePlan subscription={subscription} onClose={() => setOpen(false)} />}
    </Panel>
  )
}

function Limits({ subscription: { limits, current } }: { subscription: Subscription }) {
  const names = (Object.keys(limits) as (keyof typeof limits)[]).filter(name => limits[name] >= 0)
  const said = (name: keyof typeof limits, value: number) =>
    name === 'telemetryBytesPerMonth' ? bytesOf(value) : value.toLocaleString('en')
  return names.map(name => (
    <div key={name}>
      <Text size="sm">
        {dimensionWords[name]}: {said(name, current[name])} of {said(name, limits[name])}
      </Text>
      <Progress
        value={limits[name] === 0 ? 100 : Math.min(100, (current[name] / limits[name]) * 100)}
        aria-label={dimensionWords[name] ?? name}
        size="sm"
      />
    </div>
  ))
}
