// A text in which values of the trigger and of earlier steps can be named, offered while one types.
import './automations.css'
import { ActionIcon, Textarea, Tooltip, VisuallyHidden } from '@mantine/core'
import { Braces } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react'
import { countOf } from '../../format.ts'
import { usePathsAt } from './check.ts'

type TemplateInputProps = {
  label: ReactNode
  /** What its buttons call it. */
  named: string
  /** The place of the step; null before all of them. */
  step: string | null
  /** `cel` names values as they are, a template between braces. */
  kind: 'template' | 'cel'
  value: string
  error?: string | undefined
  description?: ReactNode
  placeholder?: string | undefined
  withAsterisk?: boolean
  minRows?: number
  maxLength?: number
  onChange: (text: string) => void
}

const mostShown = 40

type Wanted = { from: number; typed: string }

/** What is being written before the caret: behind two braces, or a word of an expression. */
export function wantedAt(text: string, caret: number, kind: 'template' | 'cel'): Wanted | null {
  const before = text.slice(0, caret)
  const [, typed] = (kind === 'cel' ? /([\w.[\]]*)$/ : /\{\{\s*([\w.[\]]*)$/).exec(before) ?? []
  return typed === undefined ? null : { from: caret - typed.length, typed }
}

export function TemplateInput(props: TemplateInputProps) {
  const { named, step, kind, value, onChange, minRows = 1, ...shared } = props
  const input = useRef<HTMLTextAreaElement>(null)
  const listId = useId()
  const paths = usePathsAt(step)
  const [caret, setCaret] = useState(value.length)
  const [isOpen, setIsOpen] = useState(false)
  const [chosen, setChosen] = useState(0)
  const wanted = wantedAt(value, caret, kind)
  const typed = (wanted?.typed ?? '').toLowerCase()
  const offers = isOpen ? paths.filter(({ path }) => path.toLowerCase().includes(typed)).slice(0, mostShown) : []
  const at = Math.min(chosen, offers.length - 1)
  const choose = (path: string) => {
    const from = wanted?.from ?? caret
    const opened = kind === 'cel' || wanted ? '' : '{{ '
    const rest = value.slice(caret)
    const closed = kind === 'cel' || /^\s*\}\}/.test(rest) ? '' : ' }}'
    const text = `${wanted && kind === 'template' && value[from - 1] === '{' ? ' ' : ''}${opened}${path}${closed}`
    onChange(value.slice(0, from) + text + rest)
    setIsOpen(false)
    const place = from + text.length
    setCaret(place)
    requestAnimationFrame(() => {
      input.current?.focus()
      input.current?.setSelectionRange(place, place)
    })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === ' ' && event.ctrlKey) setIsOpen(true)
    else if (offers.length === 0) return
    else if (step) setChosen((at + step + offers.length) % offers.length)
    else if (event.key === 'Enter' || event.key === 'Tab') choose(offers[at]?.path ?? '')
    else if (event.key === 'Escape') setIsOpen(false)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const isShown = offers.length > 0
  return (
    <div className="atrium-template">
      <Textarea
        {...shared}
        ref={input}
        autosize
        minRows={minRows}
        maxRows={16}
        value={value}
        spellCheck={kind === 'template'}
        autoComplete="off"
        {...(kind === 'cel' && { styles: { input: { fontFamily: 'var(--mantine-font-family-monospace)' } } })}
        aria-autocomplete="list"
        aria-controls={isShown ? listId : undefined}
        aria-activedescendant={isShown ? `${listId}-${at}` : undefined}
        onChange={event => {
          const { value: text, selectionStart } = event.currentTarget
          onChange(text)
          setCaret(selectionStart)
          setChosen(0)
          const next = wantedAt(text, selectionStart, kind)
          setIsOpen(next !== null && (kind === 'template' || next.typed.length > 1))
        }}
        onSelect={event => setCaret(event.currentTarget.selectionStart)}
        onKeyDown={onKeyDown}
        onBlur={() => setIsOpen(false)}
        rightSection={
          paths.length > 0 && (
            <Tooltip label="Insert a value">
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`Insert a value into ${named}`}
                onMouseDown={event => event.preventDefault()}
                onClick={() => {
                  input.current?.focus()
                  setIsOpen(!isOpen)
                }}
              >
                <Braces size={15} aria-hidden />
              </ActionIcon>
            </Tooltip>
          )
        }
      />
      <VisuallyHidden role="status">{isShown ? countOf(offers.length, 'value') : ''}</VisuallyHidden>
      {isShown && (
        <div id={listId} role="listbox" aria-label="Values">
          {offers.map(({ path, type }, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the field has the focus and the keys
            <div
              key={path}
              id={`${listId}-${index}`}
              role="option"
              aria-selected={index === at}
              onMouseDown={event => event.preventDefault()}
              onClick={() => choose(path)}
            >
              <code>{path}</code>
              <span data-about>{type}</span>
            </div>
          ))}
        </div>
      )}
    </div>
  )
}
