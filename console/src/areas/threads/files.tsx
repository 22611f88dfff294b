// Files of messages: taken to the service, and shown as what can be downloaded.
import { Anchor, Text } from '@mantine/core'
import { Download } from 'lucide-react'
import { addressOf, RequestError, sendFile } from '../../api.ts'
import type { Attached } from '../../composer/attachments.tsx'
import { loadContract, operation } from '../../contract.ts'
import { useWorkspaceId } from '../../session.ts'
import { bytesOf } from '../../units.ts'
import type { Part } from './thread.ts'

const id = 'messages.files.post'

/** Refused here where the service would, so that nobody waits for an upload in vain. */
export async function upload(workspaceId: string, file: File): Promise<Attached> {
  await loadContract('messages')
  const most = operation(id)?.bodyLimit
  if (most !== undefined && file.size > most) {
    throw new RequestError(413, { message: `${file.name} is larger than ${bytesOf(most)}. Send a smaller file.` })
  }
  return await sendFile(id, { workspaceId, name: nameOf(file), ...typeOf(file) }, file)
}

/** Without what a name of a file must not have. */
function nameOf({ name }: File): string {
  return name.replace(/["/\\\u0000-\u001f\u007f]/g, '_').slice(-255) || 'file'
}

/** Where the browser knows one. */
function typeOf({ type }: File): { mimeType?: string } {
  return /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/.test(type) ? { mimeType: type } : {}
}

export function FileLink({ part }: { part: Part }) {
  const workspaceId = useWorkspaceId()
  const { fileId = '', name = 'File', size } = part
  return (
    <Anchor
      href={addressOf('messages.files.get', { workspaceId, id: fileId })}
      download={name}
      className="atrium-chip"
      underline="never"
      inherit
      style={{ justifySelf: 'start' }}
    >
      <Download size={13} aria-hidden />
      <span className="atrium-chip-words">{name}</span>
      {size !== undefined && (
        <Text span className="atrium-chip-range" inherit>
          {bytesOf(size)}
        </Text>
      )}
    </Anchor>
  )
}
