// An autofix as the pages see it: its states in words and colours, and what each of them allows.
import type { ItemOf } from '../../../../src/client/catalogue.ts'

export type Autofix = ItemOf<'autofixes.list'>
export type Check = Autofix['check']
type CheckState = Check['state']
type Warning = Check['warnings'][number]['kind']

export const statusColors: Readonly<Record<Autofix['status'], string>> = {
  draft: 'gray',
  proposed: 'blue',
  approved: 'green',
  applied: 'grape',
  merged: 'green',
  rejected: 'red',
  superseded: 'gray',
  failed: 'red',
}

export const checkStates: Readonly<Record<CheckState, { words: string; color: string; about: string }>> = {
  clean: { words: 'Applies', color: 'green', about: 'It applies to the newest commit of its branch.' },
  stale_clean: {
    words: 'Branch went on, still applies',
    color: 'blue',
    about: 'The branch has newer commits than the patch was made from. It applies to the newest one too.',
  },
  conflict: {
    words: 'Conflict',
    color: 'red',
    about: 'The branch went on, and the patch does not apply there any more. Make it anew from the newest commit.',
  },
  invalid: {
    words: 'Does not apply',
    color: 'red',
    about: 'The patch does not apply to the commit that it names as its base. Correct the patch or its base.',
  },
}

export const warningWords: Readonly<Record<Warning, string>> = {
  ci_file: 'Changes what runs on the build machines',
  lockfile: 'Changes which versions of packages are installed',
  symlink: 'Makes or changes a symbolic link',
  mode_change: 'Changes who may run a file',
  secret_like: 'Adds what looks like a secret',
  large: 'Is large: read it in parts',
}

const closings: Readonly<Record<string, string>> = {
  wrong: 'It is wrong',
  incomplete: 'It is not complete',
  unsafe: 'It is not safe',
  not_wanted: 'It is not wanted',
  other: 'Another reason',
  superseded: 'A newer one took its place',
  repository_deleted: 'Its repository was deleted',
}

export const rejectChoices = ['wrong', 'incomplete', 'unsafe', 'not_wanted', 'other'].map(value => ({
  value,
  label: closings[value] ?? value,
}))

export const closingWords = (reason: string) => closings[reason] ?? reason

export const isOpen = ({ status }: Pick<Autofix, 'status'>) => ['draft', 'proposed', 'approved'].includes(status)
export const hasFailed = ({ check: { state } }: Autofix) => state === 'conflict' || state === 'invalid'

/** What git can still lay onto its base: else the patch is all there is. */
export const isReadable = ({ repositoryId, check }: Autofix) => repositoryId !== null && check.state !== 'invalid'

export function mayBeApproved(autofix: Autofix, me: string | undefined): boolean {
  const { status, approvals } = autofix
  if (status !== 'proposed' && status !== 'approved') return false
  return !hasFailed(autofix) && !approvals.some(({ userId }) => userId === me)
}

export type Target = 'branch' | 'push' | 'pull_request'

/** Where it can still go. `isAuto`: the workspace lets clean ones be applied without approvals. */
export function targetsOf(autofix: Autofix, isAuto: boolean): Target[] {
  const { status, approvals, requiredApprovals, check, pushedAt, pullRequestUrl } = autofix
  if (autofix.repositoryId === null) return []
  if (status === 'applied') {
    return [
      ...(pushedAt === null ? ['push' as const] : []),
      ...(pullRequestUrl === null ? ['pull_request' as const] : []),
    ]
  }
  if (hasFailed(autofix)) return []
  const isEnough = approvals.length >= requiredApprovals || (isAuto && check.state === 'clean')
  const isReady = status === 'approved' || (status === 'proposed' && isEnough)
  return isReady ? ['branch', 'push', 'pull_request'] : []
}
