// The system's own git, opened once for a process: looked for at its first use, handed out to requests and jobs.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApiError } from '../../../contract/errors.ts'
import type { Git } from '../../../kit/git.ts'
import { once } from '../../../kit/once.ts'
import type { Config } from '../../config.ts'
import { runGit } from './child.ts'
import { bareEnvironment, writeGitFiles } from './environment.ts'
import { lane } from './lanes.ts'
import { type Bound, type MirrorParts, mirrorAt, mirrorsIn } from './mirrors.ts'
import { objectReaders } from './objects.ts'
import { gitRemotes } from './remotes.ts'

export type SystemGit = {
  /** For one request or job: what it starts ends with its signal, and its key shares with the others. */
  of(bound: Bound): Git
  close(): void
}

const leastVersion = [2, 39] as const
const readingAtOnce = 2
/** Syncs wait for hosts more than they work. */
const callingAtOnce = 4
const callingForOne = 2
const mostWaiting = 200
const checkMs = 5_000

const missing = () =>
  new ApiError('unavailable', 'Repositories need git 2.39 or later on the machine of the service; install it.')

export function openGit(config: Config): SystemGit {
  const folder = join(config.DATA_DIR, 'repositories')
  let files: string | undefined
  const opened = once(() => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    files = mkdtempSync(join(tmpdir(), 'atrium-git-'))
    const written = writeGitFiles(files, config)
    const environment = bareEnvironment(written)
    const parts: MirrorParts = {
      folder,
      temporary: files,
      environment,
      // Apart, since a slow host must not make those wait who read what is there.
      reading: lane(readingAtOnce, mostWaiting),
      network: lane(callingAtOnce, mostWaiting, callingForOne),
      objects: objectReaders(mirror => ({ ...environment, GIT_DIR: mirror })),
      remotes: gitRemotes({
        files: written,
        folder: files,
        allow: config.OUTBOUND_ALLOW,
        directories: config.REPOSITORY_DIRS,
      }),
      mostBytes: config.REPOSITORY_MAX_MIB * 1024 * 1024,
    }
    return parts
  })
  const looked = once(async () => {
    const signal = new AbortController().signal
    const said = await runGit(['--version'], { environment: opened().environment, signal }).catch(() => null)
    const [, major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(said?.toString() ?? '') ?? []).map(Number)
    const isGood = major > leastVersion[0] || (major === leastVersion[0] && minor >= leastVersion[1])
    if (!isGood) throw missing()
  })
  return {
    of: bound => ({
      ready: () => looked(),
      async check(remote) {
        const signal = AbortSignal.any([bound.signal, AbortSignal.timeout(checkMs)])
        await opened().remotes.check(remote, signal)
      },
      mirror: id => mirrorAt(opened(), id, bound),
      mirrors: () => mirrorsIn(folder),
    }),
    close() {
      if (files === undefined) return
      opened().objects.close()
      rmSync(files, { recursive: true, force: true })
    },
  }
}
