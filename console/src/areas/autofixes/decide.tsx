// What decides over an autofix: propose, approve, reject, apply. Each is asked for once more, with what will happen.
import { Alert, Button, Modal, Radio, Stack, Text } from '@mantine/core'
import { Check, GitBranch, Send, X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { queryClient, RequestError, useAct, useCall } from '../../api.ts'
import { areaOf } from '../../contract.ts'
import { Form } from '../../form/form.tsx'
import { Sending } from '../../form/sending.tsx'
import { Failure } from '../../parts/failure.tsx'
import { done } from '../../parts/toast.tsx'
import { useMe, useStanding, useWorkspaceId } from '../../session.ts'
import { type Autofix, isOpen, mayBeApproved, rejectChoices, type Target, targetsOf } from './autofix.ts'

type DecideProps = {
  autofix: Autofix
  /** Of the patch that is shown. */
  read: string
  onReload: (patchSha256?: string) => void
}

export function Decide({ autofix, read, onReload }: DecideProps) {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const me = useMe()
  const [open, setOpen] = useState<'approve' | 'reject' | 'apply' | null>(null)
  const mayAsk = may('workspaces.settings.get') && autofix.status === 'proposed'
  const settings = useCall('workspaces.settings.get', { workspaceId }, { enabled: mayAsk })
  const targets = may('autofixes.apply') ? targetsOf(autofix, settings.data?.autofix.mode === 'auto') : []
  const close = () => setOpen(null)
  const isApplied = autofix.status === 'applied'
  return (
    <>
      {autofix.status === 'draft' && may('autofixes.patch') && <Propose autofix={autofix} />}
      {may('autofixes.approve') && mayBeApproved(autofix, me?.id) && (
        <Button
          {...(autofix.status === 'approved' && { variant: 'default' })}
          leftSection={<Check size={16} aria-hidden />}
          onClick={() => setOpen('approve')}
        >
          Approve
        </Button>
      )}
      {targets.length > 0 && (
        <Button
          {...((isApplied || autofix.status === 'proposed') && { variant: 'default' })}
          leftSection={<GitBranch size={16} aria-hidden />}
          onClick={() => setOpen('apply')}
        >
          {isApplied ? 'Push' : 'Apply'}
        </Button>
      )}
      {may('autofixes.reject') && isOpen(autofix) && (
        <Button variant="default" leftSection={<X size={16} aria-hidden />} onClick={() => setOpen('reject')}>
          Reject
        </Button>
      )}
      {open === 'approve' && <Approve autofix={autofix} read={read} onReload={onReload} onClose={close} />}
      {open === 'reject' && <Reject autofix={autofix} onClose={close} />}
      {open === 'apply' && <Apply autofix={autofix} targets={targets} onClose={close} />}
    </>
  )
}

function Propose({ autofix: { workspaceId, id } }: { autofix: Autofix }) {
  const act = useAct('autofixes.patch', { onDone: () => done('It is proposed: people can approve it now.') })
  return (
    <>
      <Button
        leftSection={<Send size={16} aria-hidden />}
        loading={act.isPending}
        onClick={() => act.mutate({ workspaceId, id, status: 'proposed' })}
      >
        Propose
      </Button>
      <Failure error={act.error} onRetry={act.again} />
    </>
  )
}

type DialogProps = { autofix: Autofix; onClose: () => void }

/** The service is told which patch was read, so that nobody approves another one. */
function Approve({ autofix, read, onReload, onClose }: DialogProps & Omit<DecideProps, 'autofix'>) {
  const { workspaceId, id, approvals, requiredApprovals } = autofix
  const act = useAct('autofixes.approve', {
    onDone: () => {
      onClose()
      done('You have approved it.')
    },
  })
  const newer = newerPatch(act.error)
  const missing = requiredApprovals - approvals.length - 1
  const submit = (event: FormEvent) => {
    event.preventDefault()
    act.mutate({ workspaceId, id, patchSha256: read })
  }
  const reload = () => {
    onReload(newer)
    void queryClient.invalidateQueries({ predicate: ({ queryKey }) => areaOf(String(queryKey[0])) === 'autofixes' })
    onClose()
  }
  return (
    <Modal opened onClose={onClose} title="Approve this patch?">
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">
            You approve the patch as this page shows it.{' '}
            {missing > 0 ? `After that it needs ${missing} more to be applied.` : 'After that it can be applied.'}
          </Text>
          {newer ? (
            <Alert role="alert" color="yellow" title="The patch was changed">
              <Text size="sm">
                It is not the one that you read any more. Show the new one, read it, and approve it then.
              </Text>
              <Button mt="xs" size="xs" onClick={reload}>
                Show the new patch
              </Button>
            </Alert>
          ) : (
            <Sending act={act} label="Approve" cancel={onClose} />
          )}
        </Stack>
      </form>
    </Modal>
  )
}

/** Which one it is by now, where that is why it was refused. */
function newerPatch(error: unknown): string | undefined {
  if (!(error instanceof RequestError) || error.status !== 409) return undefined
  const { patchSha256 } = (error.metadata ?? {}) as { patchSha256?: string }
  return patchSha256
}

function Reject({ autofix: { workspaceId, id }, onClose }: DialogProps) {
  return (
    <Modal opened onClose={onClose} title="Reject this autofix">
      <Stack>
        <Text size="sm">It cannot be applied any more. A better patch can be proposed as a new autofix.</Text>
        <Form
          id="autofixes.reject"
          fixed={{ workspaceId, id }}
          fields={[
            { name: 'reason', label: 'Why', choices: rejectChoices },
            { name: 'note', label: 'Note', about: 'What would have to be different.' },
          ]}
          label="Reject"
          cancel={onClose}
          color="red"
          onDone={() => {
            onClose()
            done('It is rejected.')
          }}
        />
      </Stack>
    </Modal>
  )
}

const choices: Readonly<Record<Target, { label: string; about: string; done: string }>> = {
  branch: {
    label: 'Keep the branch here',
    about: 'Nothing is sent anywhere. Take the mbox to your own copy.',
    done: 'Applied: the commit is made and kept here.',
  },
  push: {
    label: 'Push the branch',
    about: 'To the host of the repository, with the credentials that are set there.',
    done: 'Applied: the branch is pushed.',
  },
  pull_request: {
    label: 'Push the branch and open a pull request',
    about: 'On GitHub, GitLab or Gitea, with the token of the repository.',
    done: 'Applied: the pull request is open.',
  },
}

function Apply({ autofix, targets, onClose }: DialogProps & { targets: readonly Target[] }) {
  const { workspaceId, id, baseRef, branch } = autofix
  const [target, setTarget] = useState<Target>(targets[0] ?? 'branch')
  const act = useAct('autofixes.apply', {
    onDone: () => {
      onClose()
      done(choices[target].done)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    act.mutate({ workspaceId, id, target })
  }
  return (
    <Modal opened onClose={onClose} title={branch ? 'Push the branch' : 'Apply this autofix'}>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm" component="div">
            {branch
              ? 'The commit is made already. Its branch is '
              : `A commit on the newest commit of ${baseRef}, as a new branch `}
            <Text span inherit ff="monospace" style={{ overflowWrap: 'anywhere' }}>
              {branch ?? `autofix/${id}`}
            </Text>
            ; no other branch is touched.
          </Text>
          <Radio.Group label="What happens with it" value={target} onChange={value => setTarget(value as Target)}>
            <Stack gap="xs" mt="xs">
              {targets.map(one => (
                <Radio key={one} value={one} label={choices[one].label} description={choices[one].about} />
              ))}
            </Stack>
          </Radio.Group>
          <Sending act={act} label={branch ? 'Push' : 'Apply'} cancel={onClose} />
        </Stack>
      </form>
    </Modal>
  )
}
