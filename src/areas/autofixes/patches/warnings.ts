// What a person should look at twice before approving a patch.
import type { Static } from 'typebox'
import { addressInstead, redact } from '../../../kit/redaction.ts'
import type { differences } from '../../repositories/reading/diff.ts'
import type { Autofix } from '../fields/contract.ts'

type Warning = Static<typeof Autofix>['check']['warnings'][number]
type File = Awaited<ReturnType<typeof differences>>['files'][number]

const ciFiles = [
  /^\.(?:github|gitea|forgejo)\/(?:workflows|actions)\//,
  /^\.(?:circleci|buildkite|woodpecker|semaphore)\//,
  /^\.(?:gitlab-ci|travis|drone|woodpecker|cirrus|appveyor)\.ya?ml$/,
  /^(?:appveyor|azure-pipelines|bitbucket-pipelines|cloudbuild|buildspec)\.ya?ml$/,
  /(?:^|\/)(?:Jenkinsfile|action\.ya?ml)$/,
]

const lockfile =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|deno\.lock|Cargo\.lock|go\.sum|poetry\.lock|uv\.lock|Pipfile\.lock|pdm\.lock|Gemfile\.lock|composer\.lock|mix\.lock|pubspec\.lock|Podfile\.lock|Package\.resolved|gradle\.lockfile|packages\.lock\.json|flake\.lock)$/

const link = '120000'
const manyLines = 1_000
const manyFiles = 50
const mostWarnings = 200

export function warningsOf(files: readonly File[]): Warning[] {
  const found: Warning[] = []
  let lines = 0
  for (const { path, oldPath, oldMode, newMode, added, removed, hunks } of files) {
    const names = oldPath === null ? [path] : [path, oldPath]
    if (names.some(name => ciFiles.some(form => form.test(name)))) found.push({ kind: 'ci_file', path })
    if (names.some(name => lockfile.test(name))) found.push({ kind: 'lockfile', path })
    if (newMode === link || oldMode === link) found.push({ kind: 'symlink', path })
    if (isModeChange(oldMode, newMode)) found.push({ kind: 'mode_change', path })
    lines += (added ?? 0) + (removed ?? 0)
    const fresh = (hunks ?? []).flatMap(hunk =>
      hunk.lines.filter(({ type }) => type === 'added').map(({ text }) => text),
    )
    if (looksSecret(fresh.join('\n'))) found.push({ kind: 'secret_like', path })
  }
  if (lines > manyLines || files.length > manyFiles) found.push({ kind: 'large', path: null })
  return found.slice(0, mostWarnings)
}

/** An e-mail address is no secret in code. */
function looksSecret(text: string): boolean {
  const { text: rest, count } = redact(text)
  return count > rest.split(addressInstead).length - 1
}

/** A file that can be started from now on, or not any more; a new one that can be started too. */
function isModeChange(before: string | null, after: string | null): boolean {
  if (after === null) return false
  return before === null ? after === '100755' : before !== after
}
