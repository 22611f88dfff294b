// One step as a card: what it does, what it is given, what stands inside it, and the rest under "More".
import { ActionIcon, Alert, Badge, Box, Group, Stack, Text, Tooltip, UnstyledButton } from '@mantine/core'
import { ArrowDown, ArrowUp, ChevronDown, ChevronRight, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { countOf } from '../../format.ts'
import { Rows } from '../../parts/page.tsx'
import type { Step } from './automation.ts'
import { faultsAt, faultWords, useCardFaults, useFault, useWriting } from './check.ts'
import { innerLists, useShorthands, useStepFields } from './deeds.ts'
import { StepFields } from './step_fields.tsx'
import { StepList } from './step_list.tsx'
import { StepMore } from './step_more.tsx'
import { TemplateInput } from './template_input.tsx'
import { deedWords, placeWords } from './words.ts'

export type Moving = { isFirst: boolean; isLast: boolean; onMove: (by: -1 | 1) => void; onRemove: () => void }

type StepCardProps = {
  place: string
  depth: number
  step: Step
  /** It was just added: there is something to fill in. */
  isOpened: boolean
  moving: Moving
  onChange: (step: Step) => void
}

export function StepCard({ place, depth, step, isOpened, moving, onChange }: StepCardProps) {
  const { faults, isTried } = useWriting()
  const [isOpen, setIsOpen] = useState(isOpened || depth > 0)
  const own = faultsAt(faults, place)
  const isFaulty = own.length > 0 && (isTried || !isOpen)
  const number = placeWords(place.slice(place.indexOf('.') + 1))
  const title = deedWords(step.do)
  const Icon = isOpen ? ChevronDown : ChevronRight
  return (
    <Box
      className="atrium-step"
      role="group"
      aria-label={`Step ${number}: ${title}`}
      data-faulty={isFaulty || undefined}
    >
      <Group gap="xs" justify="space-between" wrap="nowrap" align="flex-start">
        <UnstyledButton flex={1} miw={0} mih={28} aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          <Group gap={6} wrap="nowrap" align="flex-start">
            <Icon size={16} aria-hidden style={{ flexShrink: 0, marginTop: 3 }} />
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              <strong>
                {number}. {title}
              </strong>
              {step.id && (
                <Text span size="xs" c="dimmed" ff="monospace">
                  {' '}
                  {step.id}
                </Text>
              )}
              {!isOpen && <Summary step={step} />}
            </Text>
            {own.length > 0 && !isOpen && (
              <Badge color="red" style={{ flexShrink: 0 }}>
                {countOf(own.length, 'fault')}
              </Badge>
            )}
          </Group>
        </UnstyledButton>
        <Buttons number={number} moving={moving} />
      </Group>
      {isOpen && <Contents place={place} depth={depth} step={step} onChange={onChange} />}
    </Box>
  )
}

function Summary({ step }: { step: Step }) {
  const inside = (step.steps?.length ?? 0) + (step.else?.length ?? 0)
  const given = Object.entries(step.with ?? {}).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  const words = [...(step.if ? [`if ${step.if}`] : []), ...given, ...(inside > 0 ? [countOf(inside, 'step')] : [])]
  return (
    <Text span size="xs" c="dimmed" display="block" lineClamp={2}>
      {words.join(' · ')}
    </Text>
  )
}

function Buttons({ number, moving: { isFirst, isLast, onMove, onRemove } }: { number: string; moving: Moving }) {
  const button = { variant: 'subtle', color: 'gray' } as const
  return (
    <Group gap={2} wrap="nowrap">
      <Tooltip label="Move up">
        <ActionIcon
          {...button}
          data-move="-1"
          disabled={isFirst}
          aria-label={`Move step ${number} up`}
          onClick={() => onMove(-1)}
        >
          <ArrowUp size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <Tooltip label="Move down">
        <ActionIcon
          {...button}
          data-move="1"
          disabled={isLast}
          aria-label={`Move step ${number} down`}
          onClick={() => onMove(1)}
        >
          <ArrowDown size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <Tooltip label="Take away">
        <ActionIcon {...button} aria-label={`Take away step ${number}`} onClick={onRemove}>
          <Trash2 size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </Group>
  )
}

const shownElsewhere = ['id', 'if', 'retry', 'timeoutSeconds', 'onError']

function Contents({ place, depth, step, onChange }: Omit<StepCardProps, 'isOpened' | 'moving'>) {
  const fields = useStepFields(step.do)
  const shorthand = useShorthands().find(one => one.do === step.do)
  const names = fields?.map(({ name }) => `with.${name}`) ?? []
  const faults = useCardFaults(place, [...names, ...shownElsewhere])
  const { isTried } = useWriting()
  const lists = innerLists(step.do, depth)
  const isBranch = step.do === 'branch'
  // What is missing yet is said when somebody wants to save it.
  const told = faults.filter(({ path }) => isTried || !/\.(with|steps|else)(\.|$)/.test(path))
  return (
    <Stack gap="sm" mt="xs">
      {shorthand && !isBranch && (
        <Text size="sm" c="dimmed">
          {shorthand.about.replaceAll('`', '')}
        </Text>
      )}
      {told.length > 0 && (
        <Alert color="red" p="xs">
          {told.map(fault => (
            <Text key={`${fault.path} ${fault.expected}`} size="sm">
              {faultWords(fault, fault.path.slice(place.length + 1))}
            </Text>
          ))}
        </Alert>
      )}
      {isBranch && <Condition place={place} step={step} onChange={onChange} isNeeded />}
      {fields === undefined && <Rows count={2} />}
      {fields === null && (
        <Text size="sm" c="var(--mantine-color-error)">
          There is nothing called “{step.do}”. Take the step away, and add another.
        </Text>
      )}
      {fields && !(isBranch && fields.length === 0) && (
        <StepFields
          place={place}
          fields={fields}
          value={step.with ?? {}}
          onChange={value => onChange({ ...step, with: value })}
        />
      )}
      {lists.map(([name, title]) => (
        <Box key={name} role="group" aria-label={title}>
          <Text size="sm" fw={600} mb={4}>
            {title}
          </Text>
          <div className="atrium-inner-steps">
            <StepList
              place={`${place}.${name}`}
              depth={depth + 1}
              steps={step[name] ?? []}
              onChange={steps => onChange(withList(step, name, steps))}
            />
          </div>
        </Box>
      ))}
      <StepMore place={place} step={step} onChange={onChange}>
        {!isBranch && <Condition place={place} step={step} onChange={onChange} />}
      </StepMore>
    </Stack>
  )
}

/** An empty list is none: the service wants at least one in it. */
function withList(step: Step, name: 'steps' | 'else', steps: readonly Step[]): Step {
  const { [name]: _, ...rest } = step
  return steps.length === 0 ? rest : { ...rest, [name]: steps }
}

type ConditionProps = { place: string; step: Step; onChange: (step: Step) => void; isNeeded?: boolean }

function Condition({ place, step, onChange, isNeeded = false }: ConditionProps) {
  const error = useFault(`${place}.if`, !step.if)
  return (
    <TemplateInput
      label={isNeeded ? 'If' : 'Only if'}
      named="the condition"
      step={place.slice(place.indexOf('.') + 1)}
      kind="cel"
      withAsterisk={isNeeded}
      description="An expression (CEL), such as trigger.record.priority > 2"
      value={step.if ?? ''}
      error={error}
      onChange={text => {
        const { if: _, ...rest } = step
        onChange(text === '' ? rest : { ...rest, if: text })
      }}
    />
  )
}
