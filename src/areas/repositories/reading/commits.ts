// History: commits as `git log` has them, and who wrote which lines.
import { ApiError } from '../../../contract/errors.ts'
import { isText, shownBytes, shownPath } from '../../../kit/git_paths.ts'
import { spanOf } from './contents.ts'
import type { At } from './mirrors.ts'
import { foundAt, pathFor } from './trees.ts'

const historyMs = 20_000
const mostBytes = 8 * 1024 * 1024
const mostBlamedBytes = 1024 * 1024
const usualCommits = 20

const fields = ['%H', '%T', '%P', '%an', '%ae', '%at', '%cn', '%ce', '%ct', '%s', '%B']

type Asked = { path?: string; pathBytes?: string; since?: string; limit?: number; after?: number }

export async function commitsAt({ mirror, row, sha }: At, asked: Asked) {
  const { since, limit = usualCommits, after = 0, path, pathBytes } = asked
  const paths = path || pathBytes ? [await pathFor(mirror, row.id, [sha], asked)] : []
  const output = await mirror.run(
    [
      'log',
      '-z',
      '--no-show-signature',
      '--no-color',
      '--no-mailmap',
      `--format=${fields.join('%x00')}`,
      `--max-count=${limit + 1}`,
      `--skip=${after}`,
      ...sinceOf(since),
      '--end-of-options',
      sha,
    ],
    { paths, timeoutMs: historyMs, maxBytes: mostBytes },
  )
  const values = splitAtNul(output)
  const commits = []
  for (let at = 0; at + fields.length <= values.length; at += fields.length) {
    commits.push(commitOf(values.slice(at, at + fields.length).map(shownBytes)))
  }
  return { sha, commits: commits.slice(0, limit), next: commits.length > limit ? after + limit : null }
}

/** Git takes small numbers for something else than seconds; nothing was committed that long ago. */
function sinceOf(since: string | undefined): string[] {
  const seconds = since === undefined ? 0 : Math.floor(Date.parse(since) / 1000)
  return seconds > 100_000_000 ? [`--since=${seconds}`] : []
}

function splitAtNul(bytes: Buffer): Buffer[] {
  const parts: Buffer[] = []
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(0, from)
    parts.push(bytes.subarray(from, end < 0 ? bytes.length : end))
    from = end < 0 ? bytes.length : end + 1
    // The last field may be empty, and is one all the same.
    if (end === bytes.length - 1) break
  }
  return parts
}

function commitOf(values: readonly string[]) {
  const [sha = '', treeSha = '', parents = '', ...rest] = values
  const [name = '', email = '', at = '', byName = '', byEmail = '', byAt = '', subject = '', message = ''] = rest
  return {
    sha,
    treeSha,
    parents: parents.split(' ').filter(Boolean),
    author: { name, email, at: timeOf(at) },
    committer: { name: byName, email: byEmail, at: timeOf(byAt) },
    subject,
    message,
  }
}

/** Seconds; a commit may claim any time, also one that no calendar has. */
function timeOf(seconds: string): string | null {
  const ms = Number(seconds) * 1000
  return Number.isFinite(ms) && ms >= -62_135_596_800_000 && ms < 253_402_300_800_000
    ? new Date(ms).toISOString()
    : null
}

export async function blameAt(at: At, asked: Asked & { lines?: string }) {
  const { mirror, row, sha } = at
  const file = await foundAt(mirror, row.id, sha, asked)
  if (file.type !== 'file') throw new ApiError('not_found', 'This is no file; only lines of files have authors.')
  const object = await mirror.read(file.sha, mostBlamedBytes)
  if (!object || !(isText(object.bytes) || object.bytes.indexOf(0) < 0)) {
    throw new ApiError('not_found', 'This file is no text; only lines of text have authors.')
  }
  const total = linesIn(object.bytes)
  const span = asked.lines === undefined ? null : spanOf(asked.lines)
  if (total === 0) return { sha, ...shownPath(file.path), ranges: [], commits: [] }
  if (span && span[0] > total) throw new ApiError('bad_request', `The file has ${total} lines.`)
  const output = await mirror.run(
    ['blame', '--porcelain', '-l', ...(span ? [`-L${span[0]},${Math.min(span[1], total)}`] : []), sha],
    { paths: [file.path], timeoutMs: historyMs, maxBytes: mostBytes * 2 },
  )
  return { sha, ...shownPath(file.path), ...blameIn(output) }
}

function linesIn(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) count++
  return bytes.length === 0 || bytes.at(-1) === 0x0a ? count : count + 1
}

type Blamed = { headers: Map<string, string> }

/** `<id> <line there> <line here> [<lines of the group>]`, headers where the commit is new, then tab and the line. */
function blameIn(output: Buffer) {
  const commits = new Map<string, Blamed>()
  const ranges: { from: number; to: number; commitSha: string; originalFrom: number; originalPath: string }[] = []
  let current: Blamed | undefined
  for (let from = 0; from < output.length; ) {
    const end = output.indexOf(0x0a, from)
    const bytes = output.subarray(from, end < 0 ? output.length : end)
    from = end < 0 ? output.length : end + 1
    if (bytes[0] === 0x09) continue
    const line = shownBytes(bytes)
    const [, sha, there, here, group] = /^([0-9a-f]{40}) (\d+) (\d+)(?: (\d+))?$/.exec(line) ?? []
    if (sha === undefined) {
      const space = line.indexOf(' ')
      const [name, value] = space < 0 ? [line, ''] : [line.slice(0, space), line.slice(space + 1)]
      current?.headers.set(name, value)
      // Told again where the same commit had the file under another name.
      const range = ranges.at(-1)
      if (name === 'filename' && range) range.originalPath = unquoted(value)
      continue
    }
    current = commits.get(sha) ?? { headers: new Map() }
    commits.set(sha, current)
    if (group === undefined) continue
    const originalPath = unquoted(current.headers.get('filename') ?? '')
    const first = Number(here)
    ranges.push({
      from: first,
      to: first + Number(group) - 1,
      commitSha: sha,
      originalFrom: Number(there),
      originalPath,
    })
  }
  const shown = [...commits].map(([sha, { headers }]) => blamedCommit(sha, headers))
  return { ranges, commits: shown }
}

function blamedCommit(sha: string, headers: ReadonlyMap<string, string>) {
  const person = (who: string) => ({
    name: headers.get(who) ?? '',
    email: (headers.get(`${who}-mail`) ?? '').replace(/^<|>$/g, ''),
    at: timeOf(headers.get(`${who}-time`) ?? ''),
  })
  return {
    sha,
    author: person('author'),
    committer: person('committer'),
    subject: headers.get('summary') ?? '',
    isBoundary: headers.has('boundary'),
  }
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', f: '\f', v: '\v' }

/** Git puts names with signs that a line cannot hold into quotes. */
export function unquoted(text: string): string {
  if (!/^".*"$/s.test(text)) return text
  const bytes = text
    .slice(1, -1)
    .replace(/\\(?:([0-7]{3})|(.))/g, (_, octal?: string, sign?: string) =>
      octal === undefined
        ? (escapes[sign ?? ''] ?? sign ?? '')
        : String.fromCharCode(0xe000 + Number.parseInt(octal, 8)),
    )
  const pieces = [...bytes].map(sign => {
    const code = sign.codePointAt(0) ?? 0
    return code >= 0xe000 && code < 0xe100 ? Buffer.from([code - 0xe000]) : Buffer.from(sign)
  })
  return shownBytes(Buffer.concat(pieces))
}
