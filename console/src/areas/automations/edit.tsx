// The builder on the page of an automation: what is saved is a new version.
import { Modal } from '@mantine/core'
import { useState } from 'react'
import { useAct } from '../../api.ts'
import type { Row } from '../../named.ts'
import { LinkButton } from '../../parts/links.tsx'
import { done } from '../../parts/toast.tsx'
import { SecretShown } from '../../record/secret_shown.tsx'
import { useLook } from '../../table/look.ts'
import { type Automation, savedFields, shownOnce } from './automation.ts'
import { Builder } from './builder.tsx'
import { HookUse } from './hook_use.tsx'

export function Edit({ record }: { record: Row }) {
  // What others change meanwhile does not take away what is being written.
  const [automation] = useState(record as Automation)
  const [made, setMade] = useState<Row | null>(null)
  const [, look] = useLook<{ tab?: string }>()
  const { workspaceId, id } = automation
  const close = () => look({ tab: undefined } as never)
  const patch = useAct('automations.patch', {
    onDone: saved => {
      done('Saved.')
      if (shownOnce(saved).length > 0) setMade(saved)
      else close()
    },
  })
  return (
    <>
      <Builder
        start={automation}
        label="Save"
        isBusy={patch.isPending || patch.isSuccess}
        error={patch.error}
        again={patch.again}
        cancel={
          <LinkButton to="." search={{} as never} variant="default">
            Cancel
          </LinkButton>
        }
        onSave={draft => patch.mutate({ workspaceId, id, ...savedFields(draft) })}
      />
      {made && (
        <Modal opened onClose={close} title="Its webhook" size="lg" withCloseButton={false} closeOnEscape={false}>
          <SecretShown secrets={shownOnce(made as never)} onDone={() => queueMicrotask(close)}>
            <HookUse secret="" record={made} />
          </SecretShown>
        </Modal>
      )}
    </>
  )
}
