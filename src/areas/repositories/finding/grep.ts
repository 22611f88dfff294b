// Text in the files of a commit, found by `git grep`: bounded in hits, bytes and time.
import { ApiError, badRequest } from '../../../contract/errors.ts'
import { faultOfEre } from '../../../kit/ere.ts'
import { GitFailure, type Mirror } from '../../../kit/git.ts'
import { shownBytes, shownPath } from '../../../kit/git_paths.ts'

export type Hit = { path: string; pathBytes: string | null; line: number; column: number; text: string }

export type Wanted = { q: string; mode?: 'fixed' | 'regex'; ignoreCase?: boolean; glob?: string; limit: number }

const mostLine = 500
/** Of one hit that is not whole yet: a file may be one line. */
const mostRest = 8 * 1024 * 1024

/** What is found in time; `truncated` where there would have been more. */
export async function hitsIn(mirror: Mirror, sha: string, wanted: Wanted, timeoutMs: number) {
  const { q, mode = 'fixed', ignoreCase = false, glob, limit } = wanted
  if (mode === 'regex') refuseRegex(q)
  const args = [
    ...['grep', '-z', '-n', '--column', '-I', '--full-name', '--no-color', '--no-textconv', '--no-recurse-submodules'],
    ...[mode === 'regex' ? '-E' : '-F', ...(ignoreCase ? ['-i'] : []), '-e', q, sha],
  ]
  const hits: Hit[] = []
  let rest: Buffer<ArrayBufferLike> = Buffer.alloc(0)
  let isCut = false
  const take = (piece: Buffer) => {
    rest = rest.length === 0 ? piece : Buffer.concat([rest, piece])
    for (let end = endOfHit(rest); end >= 0; end = endOfHit(rest)) {
      if (hits.length === limit) {
        isCut = true
        return false
      }
      hits.push(hitOf(rest.subarray(0, end), sha))
      rest = rest.subarray(end + 1)
    }
    isCut = rest.length > mostRest
    return !isCut
  }
  const globs = glob === undefined ? [] : [globOf(glob)]
  try {
    await mirror.pieces(args, { globs, timeoutMs, codes: [1] }, take)
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error
    if (error.fault === 'timeout') return { hits, truncated: true }
    throw refusedBy(error, q)
  }
  return { hits, truncated: isCut }
}

/** `<id>:<path>\0<line>\0<column>\0<text>\n`: a name may hold a line end, so the numbers are looked for first. */
function endOfHit(bytes: Buffer): number {
  let at = -1
  for (let count = 0; count < 3; count++) {
    at = bytes.indexOf(0, at + 1)
    if (at < 0) return -1
  }
  return bytes.indexOf(0x0a, at)
}

function hitOf(bytes: Buffer, sha: string): Hit {
  const [nameEnd, lineEnd] = [bytes.indexOf(0), bytes.indexOf(0, bytes.indexOf(0) + 1)]
  const columnEnd = bytes.indexOf(0, lineEnd + 1)
  const text = shownBytes(bytes.subarray(columnEnd + 1, columnEnd + 1 + mostLine * 4))
  return {
    ...shownPath(Buffer.from(bytes.subarray(sha.length + 1, nameEnd))),
    line: Number(bytes.toString('latin1', nameEnd + 1, lineEnd)),
    column: Number(bytes.toString('latin1', lineEnd + 1, columnEnd)),
    text: [...text].slice(0, mostLine).join(''),
  }
}

/** Below the root; a pattern without a slash is looked for in every folder. */
function globOf(glob: string): string {
  const bare = glob.replace(/^\/+/, '')
  if (bare === '' || bare.split('/').includes('..')) throw badRequest('"glob" must be a pattern such as src/**/*.ts.')
  return `:(top,glob)${bare.includes('/') || glob.startsWith('/') ? bare : `**/${bare}`}`
}

function refuseRegex(q: string): void {
  const fault = faultOfEre(q)
  if (fault) throw wrongRegex(fault.fault, fault.position)
}

function wrongRegex(why: string, position: number): ApiError {
  return new ApiError('bad_request', `"q" is no regular expression that can be used: ${why}.`, { position })
}

/** What the check before did not find, git does; it does not say where. */
function refusedBy(error: GitFailure, q: string): Error {
  const [, why] = /-e option, .*: (.+)$/s.exec(error.text) ?? /command line, .*: (.+)$/s.exec(error.text) ?? []
  if (why !== undefined) return wrongRegex(why.slice(0, 200), [...q].length)
  if (/out of memory|memory exhausted|regular expression too big/i.test(error.text)) {
    return wrongRegex('it takes too much memory', 0)
  }
  return error
}
