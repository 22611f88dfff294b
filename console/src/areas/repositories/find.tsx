// Text in the files of a repository.
import { Button, Checkbox, Group, Stack, TextInput } from '@mantine/core'
import { SearchX } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { useCall } from '../../api.ts'
import { countOf } from '../../format.ts'
import type { Row } from '../../named.ts'
import { Empty, Loaded, Panel } from '../../parts/page.tsx'
import { useWorkspaceId } from '../../session.ts'
import { Hits, HitsRemark } from './hits.tsx'
import { Readable, short, usePlace } from './place.tsx'

export function Find({ record }: { record: Row }) {
  return (
    <Readable record={record}>
      <Search record={record} />
    </Readable>
  )
}

/** What is looked for stands in the address. */
function Search({ record }: { record: Row }) {
  const [wanted, look] = usePlace()
  const [text, setText] = useState(wanted.text ?? '')
  const [glob, setGlob] = useState(wanted.glob ?? '')
  const [isRegex, setRegex] = useState(wanted.mode === 'regex')
  const find = (event: FormEvent) => {
    event.preventDefault()
    look({ text: text || undefined, glob: glob || undefined, mode: isRegex ? 'regex' : undefined } as never)
  }
  return (
    <Stack>
      <search aria-label="Text in the files">
        <form onSubmit={find}>
          <Group align="end">
            <TextInput
              label="Text"
              value={text}
              onChange={event => setText(event.currentTarget.value)}
              maxLength={500}
            />
            <TextInput
              label="In files such as"
              placeholder="*.ts"
              value={glob}
              onChange={event => setGlob(event.currentTarget.value)}
              maxLength={256}
            />
            <Checkbox
              mb={8}
              label="Regular expression"
              checked={isRegex}
              onChange={event => setRegex(event.currentTarget.checked)}
            />
            <Button type="submit">Find</Button>
          </Group>
        </form>
      </search>
      {wanted.text && <Found record={record} />}
    </Stack>
  )
}

function Found({ record }: { record: Row }) {
  const workspaceId = useWorkspaceId()
  const [{ ref, text = '', glob, mode }] = usePlace()
  const id = String(record.id)
  const isFixed = mode !== 'regex'
  const asked = { workspaceId, id, q: text, mode: isFixed ? 'fixed' : 'regex', limit: 200 } as const
  const found = useCall('repositories.grep', { ...asked, ...(glob && { glob }), ...(ref && { ref }) })
  return (
    <Loaded query={found}>
      {({ hits, truncated, sha }) => (
        <Panel title={`${countOf(hits.length, 'line')} at ${short(sha)}`}>
          {hits.length === 0 && (
            <Empty icon={SearchX} title="No line has this text" text="Binary files are left out." />
          )}
          <Hits id={id} hits={hits} sha={sha} {...(isFixed && { words: { text, isAnyCase: false } })} />
          <HitsRemark isTruncated={truncated} />
        </Panel>
      )}
    </Loaded>
  )
}
