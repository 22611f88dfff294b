// One filter of a list: any, or one of these.
import { Select, type SelectProps } from '@mantine/core'

type Choice = { value: string; label: string }

type FilterSelectProps = Pick<SelectProps, 'label' | 'w' | 'searchable' | 'disabled'> & {
  /** What stands there while nothing is chosen. */
  any?: string
  /** What the button that takes the choice back is called. */
  clear: string
  choices: readonly Choice[]
  value: string | undefined
  onChoose: (value: string | undefined) => void
}

export function FilterSelect({ any = 'Any', clear, choices, value, onChoose, ...select }: FilterSelectProps) {
  return (
    <Select
      size="xs"
      placeholder={any}
      clearable
      clearButtonProps={{ 'aria-label': clear }}
      data={choices}
      value={value ?? null}
      onChange={chosen => onChoose(chosen ?? undefined)}
      {...select}
    />
  )
}
