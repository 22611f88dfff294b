// Steps one under the other: added, moved, folded, taken away, and lists of steps inside a step.
import { Group, Stack, Text, VisuallyHidden } from '@mantine/core'
import { useState } from 'react'
import { AddStep } from './add_step.tsx'
import { type Step, uid } from './automation.ts'
import { useWriting } from './check.ts'
import { newStep } from './deeds.ts'
import { type Moving, StepCard } from './step_card.tsx'

type StepListProps = {
  /** The place of the list: `steps`, `steps.1.else`. */
  place: string
  depth: number
  steps: readonly Step[]
  onChange: (steps: readonly Step[]) => void
}

const most = 20

export function StepList({ place, depth, steps, onChange }: StepListProps) {
  const { taken } = useWriting()
  const [told, setTold] = useState('')
  const [opened, setOpened] = useState('')
  const put = (index: number, step: Step) => onChange(steps.map((one, at) => (at === index ? step : one)))
  const move = (index: number, by: -1 | 1) => {
    const next = [...steps]
    const [moved] = next.splice(index, 1)
    if (!moved) return
    next.splice(index + by, 0, moved)
    onChange(next)
    setTold(`Step ${index + 1} is now step ${index + by + 1}.`)
    focusMove(moved[uid] ?? '', by)
  }
  const remove = (index: number) => {
    onChange(steps.filter((_, at) => at !== index))
    setTold(`Step ${index + 1} is taken away.`)
  }
  const add = (word: string) => {
    const step = newStep(word, taken)
    setOpened(step[uid] ?? '')
    onChange([...steps, step])
  }
  return (
    <Stack gap="sm">
      <ol className="atrium-steps">
        {steps.map((step, index) => {
          const moving: Moving = {
            isFirst: index === 0,
            isLast: index === steps.length - 1,
            onMove: by => move(index, by),
            onRemove: () => remove(index),
          }
          return (
            <li key={step[uid]} id={`step-${step[uid]}`}>
              <StepCard
                place={`${place}.${index}`}
                depth={depth}
                step={step}
                isOpened={step[uid] === opened}
                moving={moving}
                onChange={next => put(index, next)}
              />
            </li>
          )
        })}
      </ol>
      <VisuallyHidden role="status">{told}</VisuallyHidden>
      {steps.length < most ? (
        <Group>
          <AddStep label={depth === 0 ? 'Add a step' : 'Add a step here'} depth={depth} onAdd={add} />
        </Group>
      ) : (
        <Text size="sm" c="dimmed">
          There are {most} steps, as many as there can be.
        </Text>
      )}
    </Stack>
  )
}

/** The button goes along with its card, and the focus with the button; at an end it is the other one. */
function focusMove(key: string, by: -1 | 1): void {
  requestAnimationFrame(() => {
    const card = document.getElementById(`step-${key}`)
    const buttons = [...(card?.querySelectorAll<HTMLButtonElement>('[data-move]') ?? [])].slice(0, 2)
    const same = buttons.find(({ dataset, disabled }) => dataset.move === String(by) && !disabled)
    const button = same ?? buttons.find(({ disabled }) => !disabled)
    button?.focus()
  })
}
