// The field for a filter, with a list of what can be written next and the place of what is wrong.
import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { type FormEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { useCall } from '../../api.ts'
import { useWorkspaceId } from '../../session.ts'
import { celField } from './cel.ts'
import { type KnownField, type Offer, offersFor, type Wanted, wantedAt } from './completion.ts'
import type { Dataset, Span } from './question.ts'

const typingMs = 200

type FilterInputProps = {
  dataset: Dataset
  fields: readonly KnownField[]
  filter: string
  span: Span
  /** What the service has against it: "line 1, column 5: …". */
  remark: string | undefined
  onRun: (filter: string) => void
}

export function FilterInput({ dataset, fields, filter, span, remark, onRun }: FilterInputProps) {
  const input = useRef<HTMLInputElement>(null)
  const listId = useId()
  const [text, setText] = useState(filter)
  const [caret, setCaret] = useState(filter.length)
  const [isOpen, setIsOpen] = useState(false)
  const [chosen, setChosen] = useState(-1)
  // A filter that comes by the address, or by a click on a value.
  useEffect(() => setText(filter), [filter])
  const wanted = isOpen ? wantedAt(text, caret) : null
  const values = useValues(dataset, fields, wanted, span)
  const offers = wanted ? offersFor(wanted, fields, values) : []
  const at = Math.min(chosen, offers.length - 1)
  const write = (next: string, place: number) => {
    setText(next)
    setCaret(place)
    setChosen(-1)
    requestAnimationFrame(() => {
      input.current?.focus()
      input.current?.setSelectionRange(place, place)
    })
  }
  const choose = (offer: Offer | undefined) => {
    if (!offer || !wanted) return
    const end = caret + (wanted.kind === 'key' ? (/^"?\]?/.exec(text.slice(caret))?.[0].length ?? 0) : 0)
    write(
      text.slice(0, wanted.from) + offer.text + text.slice(end),
      wanted.from + offer.text.length - (offer.back ?? 0),
    )
  }
  const run = (event?: FormEvent) => {
    event?.preventDefault()
    setIsOpen(false)
    onRun(text.trim())
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === ' ' && event.ctrlKey) setIsOpen(true)
    else if (step && !isOpen) setIsOpen(true)
    else if (step && offers.length > 0) setChosen((at + step + offers.length) % offers.length)
    else if ((event.key === 'Enter' || event.key === 'Tab') && at >= 0) choose(offers[at])
    else if (event.key === 'Escape' && isOpen) setIsOpen(false)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <form onSubmit={run}>
      <Stack gap={4}>
        <Group align="end" gap="xs" wrap="nowrap">
          <div className="atrium-filter">
            <TextInput
              ref={input}
              label="Filter"
              placeholder={exampleOf(dataset)}
              value={text}
              error={remark !== undefined}
              autoComplete="off"
              spellCheck={false}
              autoCapitalize="off"
              maxLength={4_000}
              role="combobox"
              aria-autocomplete="list"
              aria-expanded={offers.length > 0}
              aria-controls={offers.length > 0 ? listId : undefined}
              aria-activedescendant={at >= 0 ? `${listId}-${at}` : undefined}
              onChange={event => {
                const { value, selectionStart } = event.currentTarget
                setText(value)
                setCaret(selectionStart ?? value.length)
                setIsOpen(true)
                // Enter completes a word that was begun; where none is, it runs the filter.
                const next = wantedAt(value, selectionStart ?? value.length)
                setChosen(next && next.typed !== '' ? 0 : -1)
              }}
              onSelect={event => setCaret(event.currentTarget.selectionStart ?? text.length)}
              onKeyDown={onKeyDown}
              onBlur={() => setIsOpen(false)}
            />
            <Offers id={listId} offers={offers} chosen={at} onChoose={choose} />
          </div>
          <Button type="submit">Run</Button>
        </Group>
        {remark === undefined ? (
          <Text size="xs" c="dimmed" visibleFrom="sm">
            Fields are offered as you type; Ctrl+Space shows them all. Enter runs the filter.
          </Text>
        ) : (
          <Remark filter={filter} remark={remark} />
        )}
      </Stack>
    </form>
  )
}

function exampleOf({ kind }: Dataset): string {
  if (kind === 'traces') return 'status == "error" && durationMs > 500'
  if (kind === 'metrics') return 'name == "http.server.duration" && value > 1'
  return kind === 'logs' ? 'severity == "error" && service == "checkout"' : 'attributes["country"] == "NZ"'
}

/** What a field holds most often, in the span that is looked at. */
function useValues(dataset: Dataset, fields: readonly KnownField[], wanted: Wanted | null, span: Span): unknown[] {
  const workspaceId = useWorkspaceId()
  const spelled = wanted?.kind === 'value' ? wanted.field : null
  const field = fields.find(({ name }) => celField(name) === spelled)?.name ?? null
  const [asked] = useDebouncedValue(field, typingMs)
  const input = { workspaceId, id: dataset.id, ...span, groupBy: [asked ?? ''], limit: 30 }
  const { data } = useCall('datasets.query', input, { enabled: asked !== null && asked === field, keep: true })
  if (field === null || asked !== field || data?.columns[0]?.name !== field) return []
  return data.rows.map(([value]) => value).filter(value => value !== null)
}

type OffersProps = { id: string; offers: readonly Offer[]; chosen: number; onChoose: (offer: Offer) => void }

function Offers({ id, offers, chosen, onChoose }: OffersProps) {
  if (offers.length === 0) return null
  return (
    <div id={id} role="listbox" aria-label="What can be written next">
      {offers.map((offer, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the field has the focus and the keys
        <div
          key={offer.label}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === chosen}
          onMouseDown={event => event.preventDefault()}
          onClick={() => onChoose(offer)}
        >
          <code>{offer.label}</code>
          <span data-about>{offer.about}</span>
        </div>
      ))}
    </div>
  )
}

/** The filter as it was run, marked from where it is wrong. */
function Remark({ filter, remark }: { filter: string; remark: string }) {
  const [, column, words = remark] = /^line \d+, column (\d+): (.*)$/s.exec(remark) ?? []
  const at = column === undefined ? null : Number(column) - 1
  return (
    <div role="alert" className="atrium-filter-remark">
      {at !== null && (
        <code>
          {filter.slice(0, at)}
          <mark>{filter.slice(at) || ' '}</mark>
        </code>
      )}
      <Text size="sm" c="var(--mantine-color-error)">
        {column === undefined ? words : `At column ${column}: ${words}`}
      </Text>
    </div>
  )
}
