// What an automation may use: at most what its steps need and whoever saves it holds.
import { Alert, Badge, Button, Group, Stack, Text } from '@mantine/core'
import { CircleCheck, ShieldAlert } from 'lucide-react'
import { useState } from 'react'
import type { Scope } from '../../../../src/client/catalogue.ts'
import { ScopeMatrix } from '../../parts/scope_matrix.tsx'
import { useStanding } from '../../session.ts'
import { useFault } from './check.ts'

type GrantsProps = {
  grants: readonly string[]
  needs: readonly string[]
  onChange: (grants: readonly string[]) => void
}

export function Grants({ grants, needs, onChange }: GrantsProps) {
  const { can } = useStanding()
  const [isChoosing, setIsChoosing] = useState(false)
  const error = useFault('grants', true)
  const missing = needs.filter(scope => !grants.includes(scope))
  const further = grants.filter(scope => !needs.includes(scope))
  const notHeld = needs.filter(scope => !can(scope as Scope))
  const isSame = missing.length === 0 && further.length === 0
  return (
    <Stack gap="sm">
      {needs.length > 0 && (
        <Group gap={4} role="group" aria-label="What the steps need">
          {needs.map(scope => (
            <Badge key={scope} tt="none" color={grants.includes(scope) ? 'green' : 'red'}>
              {scope}
              {grants.includes(scope) ? '' : ', not granted'}
            </Badge>
          ))}
        </Group>
      )}
      {isSame ? (
        <Group gap={6} wrap="nowrap" role="status">
          <CircleCheck size={16} aria-hidden style={{ flexShrink: 0 }} />
          <Text size="sm">
            {needs.length === 0 ? 'Its steps need no scopes.' : 'It is granted what its steps need, and no more.'}
          </Text>
        </Group>
      ) : (
        <Group gap="xs">
          <Text size="sm">{sumOf(missing, further)}</Text>
          <Button size="xs" variant={missing.length > 0 ? 'filled' : 'default'} onClick={() => onChange([...needs])}>
            Grant what the steps need
          </Button>
        </Group>
      )}
      {notHeld.length > 0 && (
        <Alert color="yellow" icon={<ShieldAlert size={18} aria-hidden />} title="You do not hold all of it yourself">
          An automation acts for whoever saves it. Somebody who holds {notHeld.join(', ')} has to save this one, or take
          the step away.
        </Alert>
      )}
      {error && missing.length === 0 && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {error}
        </Text>
      )}
      <Group>
        <Button
          size="compact-sm"
          variant="subtle"
          aria-expanded={isChoosing}
          onClick={() => setIsChoosing(!isChoosing)}
        >
          {isChoosing ? 'Hide all scopes' : 'Choose scopes yourself'}
        </Button>
      </Group>
      {isChoosing && <ScopeMatrix value={grants as Scope[]} mayGive={can} onChange={onChange} />}
    </Stack>
  )
}

function sumOf(missing: readonly string[], further: readonly string[]): string {
  if (missing.length > 0) return `Not granted yet: ${missing.join(', ')}.`
  return `Granted, and not needed: ${further.join(', ')}.`
}
