// Files that go beside a text: taken to the service at once, sent with the text, taken back before that.
import { CloseButton, Group, Loader, Text } from '@mantine/core'
import { Paperclip } from 'lucide-react'
import { useState } from 'react'

export type Attached = { id: string; name: string }

export function useAttachments(attach: ((file: File) => Promise<Attached>) | undefined) {
  const [attached, setAttached] = useState<readonly Attached[]>([])
  const [coming, setComing] = useState<readonly File[]>([])
  const [error, setError] = useState<unknown>(null)
  const take = async (file: File) => {
    if (!attach) return
    setComing(before => [...before, file])
    setError(null)
    try {
      const kept = await attach(file)
      setAttached(before => [...before, kept])
    } catch (failure) {
      setError(failure)
    }
    setComing(before => before.filter(one => one !== file))
  }
  return {
    attached,
    coming,
    error,
    isBusy: coming.length > 0,
    add: (files: readonly File[]) => {
      for (const file of files) void take(file)
    },
    remove: (id: string) => setAttached(before => before.filter(one => one.id !== id)),
    clear: () => setAttached([]),
  }
}

type AttachedFilesProps = Pick<ReturnType<typeof useAttachments>, 'attached' | 'coming' | 'remove'>

export function AttachedFiles({ attached, coming, remove }: AttachedFilesProps) {
  if (attached.length + coming.length === 0) return null
  return (
    <Group gap={6} component="ul" className="atrium-plain-list" aria-label="Attached files">
      {attached.map(({ id, name }) => (
        <li key={id} className="atrium-attached">
          <Paperclip size={13} aria-hidden />
          <Text span size="sm" truncate>
            {name}
          </Text>
          <CloseButton size="sm" aria-label={`Leave out ${name}`} onClick={() => remove(id)} />
        </li>
      ))}
      {coming.map(({ name, size, lastModified }) => (
        <li key={`${name}.${size}.${lastModified}`} className="atrium-attached" aria-busy>
          <Loader size={12} aria-hidden />
          <Text span size="sm" truncate>
            {name}
          </Text>
        </li>
      ))}
    </Group>
  )
}
