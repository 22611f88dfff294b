// The chart as a page that others can read, as it stands now.
import { Button, Modal, Stack, Text } from '@mantine/core'
import { Share2 } from 'lucide-react'
import { useState } from 'react'
import { Form } from '../../form/form.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding } from '../../session.ts'
import type { Query } from './question.ts'

const fields = ['title', 'visibility', { name: 'ttlDays', label: 'Gone after (days)' }]

export function PublishButton({ query }: { query: Query }) {
  const { may } = useStanding()
  const [isOpen, setIsOpen] = useState(false)
  if (!may('analytics.publish')) return null
  const { workspaceId, ...asked } = query
  return (
    <>
      <Button variant="default" leftSection={<Share2 size={16} aria-hidden />} onClick={() => setIsOpen(true)}>
        Publish
      </Button>
      <Modal opened={isOpen} onClose={() => setIsOpen(false)} title="Publish this chart">
        <Stack>
          <Text size="sm" c="dimmed">
            A page with the chart and its numbers as they stand now. It is listed under Pages, with its address.
          </Text>
          <Form
            id="analytics.publish"
            fixed={{ workspaceId, query: asked }}
            fields={fields}
            label="Publish"
            cancel={() => setIsOpen(false)}
            touches={['pages']}
            onDone={() => {
              setIsOpen(false)
              done('Published: its address is under Pages.')
            }}
          />
        </Stack>
      </Modal>
    </>
  )
}
