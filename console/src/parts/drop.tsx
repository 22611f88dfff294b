// A place to drop files on; a button for those who would rather choose them.
import { Box, Button, Group, Text, VisuallyHidden } from '@mantine/core'
import { Upload } from 'lucide-react'
import { type DragEvent, useId, useRef, useState } from 'react'

type DropProps = { label: string; text: string; accept?: string; isBusy: boolean; onFiles: (files: File[]) => void }

export function Drop({ label, text, accept, isBusy, onFiles }: DropProps) {
  const [isOver, setIsOver] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const id = useId()
  const over = (event: DragEvent) => {
    event.preventDefault()
    setIsOver(true)
  }
  const take = (files: FileList | null) => {
    if (files && files.length > 0) onFiles([...files])
    if (field.current) field.current.value = ''
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setIsOver(false)
    take(event.dataTransfer.files)
  }
  return (
    <Box
      component="section"
      aria-label={label}
      onDragOver={over}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
      p="md"
      style={{
        border: `1px dashed var(${isOver ? '--mantine-primary-color-filled' : '--mantine-color-default-border'})`,
        borderRadius: 'var(--mantine-radius-md)',
      }}
    >
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {text}
        </Text>
        <Button
          variant="default"
          size="xs"
          loading={isBusy}
          leftSection={<Upload size={14} aria-hidden />}
          onClick={() => field.current?.click()}
        >
          {label}
        </Button>
      </Group>
      <VisuallyHidden>
        <label htmlFor={id}>{label}: file</label>
        <input
          id={id}
          ref={field}
          type="file"
          tabIndex={-1}
          {...(accept && { accept })}
          onChange={event => take(event.currentTarget.files)}
        />
      </VisuallyHidden>
    </Box>
  )
}

/** What the service takes. */
export async function contentOf<K extends 'zip' | 'bytes' | 'json'>(kind: K, file: File) {
  return { kind, bytes: new Uint8Array(await file.arrayBuffer()) }
}
