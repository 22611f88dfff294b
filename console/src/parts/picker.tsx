// A property that is changed in its place: a button that shows it, and a list to choose from that can be searched.
import { CheckIcon, Combobox, Group, Kbd, Text, UnstyledButton, useCombobox } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import { countOf } from '../format.ts'

/** As many as are drawn at once; whoever wants another types. A thousand take a slow machine a second. */
const mostShown = 50

export type Choice = { value: string; label: string; mark?: ReactNode }

type PickerProps = {
  /** What is chosen: "Status". */
  label: string
  /** The key that opens it, shown beside the label. */
  shortcut?: string
  choices: readonly Choice[]
  /** Several where more than one can be on. */
  value: string | readonly string[] | null
  onPick: (value: string) => void
  /** Where the choices are searched elsewhere: what is typed. */
  onWords?: (words: string) => void
  /** How the present choice is shown. */
  children: ReactNode
  isOpen: boolean
  onOpen: (isOpen: boolean) => void
  isLocked?: boolean
}

export function Picker(props: PickerProps) {
  const { label, shortcut, choices, value, onPick, onWords, children, isOpen, onOpen, isLocked = false } = props
  const [words, setWords] = useState('')
  const combobox = useCombobox({ opened: isOpen, onOpenedChange: onOpen })
  const isMany = Array.isArray(value)
  const isOn = (one: string) => (isMany ? value.includes(one) : value === one)
  const isFitting = (choice: Choice) => choice.label.toLowerCase().includes(words.trim().toLowerCase())
  const fitting = onWords ? choices : choices.filter(isFitting)
  const found = fitting.slice(0, mostShown)
  const type = (typed: string) => {
    setWords(typed)
    onWords?.(typed)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: only opening and closing begin anew
  useEffect(() => {
    type('')
    if (!isOpen) return
    // At once, so that a letter typed right after the key that opens it is not lost; again where it is not shown yet.
    combobox.searchRef.current?.focus({ preventScroll: true })
    combobox.focusSearchInput()
    combobox.selectActiveOption()
  }, [isOpen])
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is typed moves the choice to the first that fits
  useEffect(() => {
    if (words) combobox.selectFirstOption()
  }, [words, found.length])
  const shown = (
    <Group gap="xs" wrap="nowrap" justify="space-between" w="100%">
      <Text size="sm" c="dimmed" w={86} style={{ flexShrink: 0 }}>
        {label}
      </Text>
      <div className="atrium-property">{children}</div>
      {shortcut && !isLocked && <Kbd size="xs">{shortcut}</Kbd>}
    </Group>
  )
  if (isLocked) return <div className="atrium-picker">{shown}</div>
  return (
    <Combobox
      store={combobox}
      position="bottom-end"
      width={260}
      withinPortal
      onOptionSubmit={chosen => {
        onPick(chosen)
        if (isMany) return
        onOpen(false)
        // The next key is meant for the page, not for the field that closes; at once, since a busy page sees keys before timers.
        combobox.targetRef.current?.focus({ preventScroll: true })
      }}
    >
      <Combobox.Target targetType="button" withAriaAttributes={false}>
        <UnstyledButton
          className="atrium-picker"
          aria-haspopup="dialog"
          aria-expanded={isOpen}
          {...(shortcut && { 'aria-keyshortcuts': shortcut })}
          onClick={() => onOpen(!isOpen)}
        >
          {shown}
        </UnstyledButton>
      </Combobox.Target>
      <Combobox.Dropdown>
        <div role="dialog" aria-label={label}>
          <Combobox.Search
            value={words}
            onChange={event => type(event.currentTarget.value)}
            onKeyDown={event => event.key === 'Escape' && event.stopPropagation()}
            placeholder={`${label} …`}
            aria-label={label}
          />
          <Combobox.Options
            mah={260}
            style={{ overflowY: 'auto' }}
            aria-label={label}
            aria-multiselectable={isMany}
            tabIndex={0}
          >
            {found.map(choice => (
              <Combobox.Option key={choice.value} value={choice.value} active={isOn(choice.value)}>
                <Group gap="xs" wrap="nowrap">
                  {isOn(choice.value) ? <CheckIcon size={12} /> : <span style={{ width: 12 }} />}
                  {choice.mark}
                  <span>{choice.label}</span>
                </Group>
              </Combobox.Option>
            ))}
            {found.length === 0 && <Combobox.Empty>Nothing has that name</Combobox.Empty>}
            {fitting.length > found.length && (
              <Combobox.Empty>{countOf(fitting.length - found.length, 'other')}: type to find them</Combobox.Empty>
            )}
          </Combobox.Options>
        </div>
      </Combobox.Dropdown>
    </Combobox>
  )
}

/** Single letters that open something on this page; not while somebody types, nor on the way to another page by `g`. */
export function useKeys(keys: Readonly<Record<string, () => void>>): void {
  useEffect(() => {
    // Not 0, which is when the page began: in its first moments nobody is on the way.
    let goneAt = Number.NEGATIVE_INFINITY
    const onKey = (event: KeyboardEvent) => {
      const place = event.target as HTMLElement
      if (event.ctrlKey || event.metaKey || event.altKey) return
      if (place.closest('input, textarea, select, [contenteditable], [role=dialog], [role=listbox]')) return
      const isGoing = event.timeStamp - goneAt < 1500
      const isBegun = event.key === 'g' && !isGoing
      goneAt = isBegun ? event.timeStamp : Number.NEGATIVE_INFINITY
      if (isGoing || isBegun || !Object.hasOwn(keys, event.key)) return
      event.preventDefault()
      keys[event.key]?.()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [keys])
}
