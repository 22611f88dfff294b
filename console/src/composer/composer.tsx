// Where people write: marks with a preview, mentions of records, files that are dropped or pasted, and nothing lost on failure.
import './composer.css'
import { Button, Group, SegmentedControl, Stack, Text, Textarea } from '@mantine/core'
import { useOs } from '@mantine/hooks'
import { Paperclip } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react'
import { Guard } from '../form/guard.tsx'
import { Failure } from '../parts/failure.tsx'
import { Markdown } from '../parts/render.tsx'
import { type Attached, AttachedFiles, useAttachments } from './attachments.tsx'
import { type Mention, MentionList, mentionAt, useMentions } from './mentions.tsx'
import { useUploads } from './uploads.ts'

export type ComposerProps = {
  /** What is written: "Comment". */
  label: string
  /** What the button says; the label where nothing is said. */
  send?: string
  placeholder?: string
  start?: string
  most?: number
  /** How many lines it has while nothing is written. */
  lines?: number
  onSend: (text: string, attached: readonly Attached[]) => Promise<unknown>
  onCancel?: (() => void) | undefined
  /** Takes a file to the service and says which text stands for it, such as `[plan.pdf](/v1/files/…)`. */
  onUpload?: ((file: File) => Promise<string>) | undefined
  /** Takes a file to the service; it goes beside the text. */
  onAttach?: ((file: File) => Promise<Attached>) | undefined
  /** False where records cannot be mentioned. */
  hasMentions?: boolean
  /** Beside the button. */
  children?: ReactNode
}

export function Composer(props: ComposerProps) {
  const { label, send = label, placeholder, start = '', most = 65_536, lines = 3, onSend, onCancel, children } = props
  const [text, setText] = useState(start)
  const [isPreview, setIsPreview] = useState(false)
  const [sending, setSending] = useState<{ isPending: boolean; error: unknown }>({ isPending: false, error: null })
  const field = useRef<HTMLTextAreaElement>(null)
  const [caret, setCaret] = useState(0)
  const listId = useId()
  const wanted = props.hasMentions === false || isPreview ? null : mentionAt(text, caret)
  const mentions = useMentions(wanted?.words ?? null)
  const uploads = useUploads(props.onUpload, (place, by) => setText(before => before.replace(place, () => by)))
  const attachments = useAttachments(props.onAttach)
  const mayAttach = props.onUpload !== undefined || props.onAttach !== undefined
  const modifier = ['macos', 'ios'].includes(useOs()) ? '⌘' : 'Ctrl'
  const insert = (added: string, from: number, to: number) => {
    setText(before => before.slice(0, from) + added + before.slice(to))
    const end = from + added.length
    setCaret(end)
    requestAnimationFrame(() => {
      field.current?.focus()
      field.current?.setSelectionRange(end, end)
    })
  }
  const mention = (chosen: Mention | undefined) => {
    if (wanted && chosen) insert(`[@${chosen.title.replace(/[[\]]/g, '')}](${chosen.uri}) `, wanted.from, caret)
  }
  const isEmpty = text.trim() === '' && attachments.attached.length === 0
  const isReady = !isEmpty && text.length <= most && !uploads.isBusy && !attachments.isBusy
  const submit = async () => {
    if (!isReady || sending.isPending) return
    setSending({ isPending: true, error: null })
    try {
      await onSend(text.trim(), attachments.attached)
      setText('')
      attachments.clear()
      setIsPreview(false)
      setSending({ isPending: false, error: null })
    } catch (error) {
      setSending({ isPending: false, error })
    }
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      void submit()
    } else if (mentions.onKey(event.key, mention)) event.preventDefault()
  }
  const add = (files: FileList | null) => {
    const chosen = [...(files ?? [])]
    if (props.onAttach) return attachments.add(chosen)
    uploads.add(chosen, place => insert(place, field.current?.selectionStart ?? text.length, caret))
  }
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        void submit()
      }}
    >
      <Stack gap="xs">
        <Group justify="space-between">
          <SegmentedControl
            size="xs"
            aria-label={`${label}: write or preview`}
            value={isPreview ? 'preview' : 'write'}
            onChange={value => setIsPreview(value === 'preview')}
            data={[
              { value: 'write', label: 'Write' },
              { value: 'preview', label: 'Preview' },
            ]}
          />
          {mayAttach && (
            <Button
              size="compact-xs"
              variant="subtle"
              color="gray"
              leftSection={<Paperclip size={14} aria-hidden />}
              onClick={() => uploads.choose(add)}
            >
              Attach
            </Button>
          )}
        </Group>
        {isPreview ? (
          <div className="atrium-code" style={{ padding: '0.75rem', minHeight: 96 }}>
            {text.trim() ? <Markdown text={text} /> : <Text c="dimmed">Nothing is written yet.</Text>}
          </div>
        ) : (
          <Textarea
            ref={field}
            aria-label={label}
            placeholder={placeholder ?? `Write a ${label.toLowerCase()}. Markdown works, @ mentions a record.`}
            autosize
            minRows={lines}
            maxRows={20}
            value={text}
            aria-autocomplete="list"
            aria-controls={mentions.found.length > 0 ? listId : undefined}
            aria-activedescendant={mentions.found.length > 0 ? `${listId}-${mentions.chosen}` : undefined}
            onChange={event => {
              setText(event.currentTarget.value)
              setCaret(event.currentTarget.selectionStart)
            }}
            onSelect={event => setCaret(event.currentTarget.selectionStart)}
            onKeyDown={onKeyDown}
            onPaste={event => mayAttach && event.clipboardData.files.length > 0 && add(event.clipboardData.files)}
            onDragOver={event => mayAttach && event.preventDefault()}
            onDrop={event => {
              if (!mayAttach || event.dataTransfer.files.length === 0) return
              event.preventDefault()
              add(event.dataTransfer.files)
            }}
          />
        )}
        <MentionList id={listId} found={mentions.found} chosen={mentions.chosen} onChoose={mention} />
        <AttachedFiles {...attachments} />
        <Failure
          error={sending.error ?? uploads.error ?? attachments.error}
          onRetry={sending.error ? () => void submit() : undefined}
        />
        {text.length > most && (
          <Text size="sm" c="var(--mantine-color-error)" role="status">
            {text.length - most} characters too many
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          <Text size="xs" c="dimmed" visibleFrom="sm">
            {modifier} Enter sends
          </Text>
          {children}
          {onCancel && (
            <Button variant="default" onClick={onCancel}>
              Cancel
            </Button>
          )}
          <Button type="submit" loading={sending.isPending} disabled={!isReady}>
            {send}
          </Button>
        </Group>
      </Stack>
      <Guard
        isOn={() => !isEmpty && text.trim() !== start.trim() && !sending.isPending}
        title="Leave without sending?"
        text="What you wrote is not sent yet and would be lost."
        leave="Leave"
        stay="Stay"
      />
    </form>
  )
}
