// A filter that is on: a button that opens its editor, and one that takes it away; and the menu of those that are not.
import { ActionIcon, Button, Menu, Popover } from '@mantine/core'
import { ListFilter, X } from 'lucide-react'
import type { ReactNode } from 'react'

type FilterChipProps = {
  label: string
  /** What is asked for in words; empty while nothing is chosen. */
  shown: string
  isOpen: boolean
  onOpen: (isOpen: boolean) => void
  onClear: () => void
  isDisabled?: boolean
  /** The editor. */
  children: ReactNode
}

export function FilterChip({ label, shown, isOpen, onOpen, onClear, isDisabled = false, children }: FilterChipProps) {
  return (
    <Popover opened={isOpen} onChange={onOpen} position="bottom-start" trapFocus returnFocus withinPortal>
      <Popover.Target>
        <Button.Group>
          <Button
            size="xs"
            variant="light"
            maw={320}
            disabled={isDisabled}
            onClick={() => onOpen(!isOpen)}
            aria-expanded={isOpen}
          >
            {label}
            {shown && `: ${shown}`}
          </Button>
          {shown && (
            <ActionIcon
              variant="light"
              h={30}
              style={{ borderStartStartRadius: 0, borderEndStartRadius: 0 }}
              aria-label={`Take away the filter ${label}`}
              onClick={onClear}
            >
              <X size={14} aria-hidden />
            </ActionIcon>
          )}
        </Button.Group>
      </Popover.Target>
      <Popover.Dropdown>{children}</Popover.Dropdown>
    </Popover>
  )
}

type FilterMenuProps = {
  others: readonly { name: string; label: string }[]
  onPick: (name: string) => void
}

export function FilterMenu({ others, onPick }: FilterMenuProps) {
  if (others.length === 0) return null
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button size="xs" variant="default" leftSection={<ListFilter size={14} aria-hidden />}>
          Filter
        </Button>
      </Menu.Target>
      <Menu.Dropdown aria-label="Filter by">
        {others.map(({ name, label }) => (
          // The chip opens after the menu has closed and given the focus back.
          <Menu.Item key={name} onClick={() => setTimeout(() => onPick(name))}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
