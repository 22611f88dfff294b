// What the next step shall do: a list to search, of the words of automations and of every operation.
import { Button, Combobox, Text, useCombobox } from '@mantine/core'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { countOf } from '../../format.ts'
import { Failure } from '../../parts/failure.tsx'
import { type Deed, useDeeds } from './deeds.ts'
import { deedWords } from './words.ts'

/** As many as are drawn at once; whoever wants another types. */
const mostShown = 60

type AddStepProps = { label: string; depth: number; onAdd: (word: string) => void }

export function AddStep({ label, depth, onAdd }: AddStepProps) {
  const [typed, setTyped] = useState('')
  const combobox = useCombobox({
    onDropdownOpen: () => combobox.focusSearchInput(),
    onDropdownClose: () => {
      combobox.resetSelectedOption()
      setTyped('')
    },
  })
  const { deeds, isLoading, error, retry } = useDeeds(combobox.dropdownOpened, depth)
  const fitting = deeds.filter(deed => isFitting(deed, typed))
  const shown = fitting.slice(0, mostShown)
  const groups = [...Map.groupBy(shown, ({ group }) => group)]
  return (
    <Combobox
      store={combobox}
      position="bottom-start"
      width="min(440px, 92vw)"
      onOptionSubmit={word => {
        combobox.closeDropdown()
        onAdd(word)
      }}
    >
      <Combobox.Target targetType="button" withAriaAttributes={false}>
        <Button
          variant="default"
          size="xs"
          leftSection={<Plus size={14} aria-hidden />}
          aria-haspopup="dialog"
          aria-expanded={combobox.dropdownOpened}
          onClick={() => combobox.toggleDropdown()}
        >
          {label}
        </Button>
      </Combobox.Target>
      <Combobox.Dropdown>
        <div role="dialog" aria-label="What the step does">
          <Combobox.Search
            value={typed}
            onChange={event => {
              setTyped(event.currentTarget.value)
              combobox.updateSelectedOptionIndex()
              requestAnimationFrame(() => combobox.selectFirstOption())
            }}
            onKeyDown={event => event.key === 'Escape' && event.stopPropagation()}
            placeholder="Search, such as issue or wait"
            aria-label="Search what a step can do"
          />
          <Failure error={error} onRetry={retry} />
          <Combobox.Options mah={320} style={{ overflowY: 'auto' }} aria-label="What a step can do" tabIndex={0}>
            {groups.map(([group, own]) => (
              <Combobox.Group key={group} label={group}>
                {own.map(deed => (
                  <Combobox.Option key={deed.do} value={deed.do}>
                    <Text size="sm" fw={500}>
                      {deedWords(deed.do)}{' '}
                      <Text span size="xs" ff="monospace" c="dimmed">
                        {deed.do}
                      </Text>
                    </Text>
                    <Text size="xs" c="dimmed">
                      {deed.about.replaceAll('`', '')}
                    </Text>
                  </Combobox.Option>
                ))}
              </Combobox.Group>
            ))}
            {shown.length === 0 && (
              <Combobox.Empty>
                {isLoading ? 'Looking them up …' : 'Nothing is called so. Try another word.'}
              </Combobox.Empty>
            )}
            {fitting.length > shown.length && (
              <Combobox.Empty>{countOf(fitting.length - shown.length, 'other')}: type to find them</Combobox.Empty>
            )}
          </Combobox.Options>
        </div>
      </Combobox.Dropdown>
    </Combobox>
  )
}

function isFitting({ do: word, about }: Deed, typed: string): boolean {
  const text = `${word} ${deedWords(word)} ${about}`.toLowerCase()
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every(part => text.includes(part))
}
