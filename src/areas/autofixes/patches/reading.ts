// The headers of a patch: which files it touches, and what no patch may do. Whether it applies is for git to say.
import { ApiError } from '../../../contract/errors.ts'

export type PatchFile = {
  path: string
  oldPath: string | null
  change: 'add' | 'modify' | 'delete' | 'rename'
  additions: number | null
  deletions: number | null
}

const mostBinaryBytes = 1024 * 1024
const mostFiles = 1_000
const longestName = 8_192

type Side = { name: string; line: number }
type Open = PatchFile & { old: Side | null; new: Side | null }

/** 400 with the line where it is no patch, leaves the tree, or brings too much. */
export function readPatch(patch: string): PatchFile[] {
  const lines = patch.replace(/\n$/, '').split('\n')
  const files: Open[] = []
  let isGit = false
  const last = () => files.at(-1)
  const begin = () => {
    files.push({ path: '', oldPath: null, change: 'modify', additions: 0, deletions: 0, old: null, new: null })
    if (files.length > mostFiles) throw wrong(0, `must change at most ${mostFiles} files`)
  }
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string
    const number = at + 1
    const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line)
    const file = last()
    if (/^(diff --git|---|\+\+\+|rename|copy) /.test(line) && line.length > longestName) {
      throw wrong(number, 'must name files by shorter names')
    }
    if (hunk && file) {
      at = countHunk(lines, at, file, [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)])
      continue
    }
    if (line.startsWith('diff --git ')) {
      begin()
      isGit = true
      const [, name = null] = /^diff --git a\/(.+) b\/\1$/.exec(line) ?? []
      const opened = last() as Open
      if (name !== null) opened.old = opened.new = sideOf(`x/${name}`, number)
    } else if (line.startsWith('--- ') && lines[at + 1]?.startsWith('+++ ')) {
      if (!isGit || !file || file.additions !== 0 || file.deletions !== 0) begin()
      const opened = last() as Open
      opened.old = sideOf(line.slice(4), number)
      opened.new = sideOf((lines[at + 1] as string).slice(4), number + 1)
      if (opened.old === null) opened.change = 'add'
      if (opened.new === null) opened.change = 'delete'
      isGit = false
      at++
    } else if (file) readHeader(file, line, number)
  }
  if (files.length === 0) throw wrong(1, 'must be a unified diff, as `git diff` writes it')
  return files.map(finished)
}

function readHeader(file: Open, line: string, number: number): void {
  if (line.startsWith('new file mode ')) file.change = 'add'
  else if (line.startsWith('deleted file mode ')) file.change = 'delete'
  const [, deed, end, name] = /^(rename|copy) (from|to) (.*)$/s.exec(line) ?? []
  if (end === 'from') {
    file.old = sideOf(`x/${name}`, number)
    file.change = deed === 'rename' ? 'rename' : 'add'
  } else if (end === 'to') {
    file.new = sideOf(`x/${name}`, number)
  } else if (line === 'GIT binary patch' || line.startsWith('Binary files ')) {
    file.additions = file.deletions = null
    if (line !== 'GIT binary patch') throw wrong(number, 'must carry the content of binary files: `git diff --binary`')
  }
  const [, size] = /^(?:literal|delta) (\d+)$/.exec(line) ?? []
  if (file.additions === null && size !== undefined && Number(size) > mostBinaryBytes) {
    throw wrong(number, 'must hold binary files of at most 1 MiB')
  }
}

/** The index of its last line. */
function countHunk(lines: readonly string[], start: number, file: Open, [old, fresh]: [number, number]): number {
  let [oldLeft, newLeft, at] = [old, fresh, start]
  while (oldLeft > 0 || newLeft > 0) {
    at++
    const line = lines[at]
    const sign = line?.[0] ?? ' '
    if (line === undefined || !' +-\\'.includes(sign)) throw wrong(at + 1, 'must have as many lines as its hunk says')
    if (sign === '+') file.additions = (file.additions ?? 0) + 1
    if (sign === '-') file.deletions = (file.deletions ?? 0) + 1
    if (sign === ' ' || sign === '-') oldLeft--
    if (sign === ' ' || sign === '+') newLeft--
  }
  return at
}

/** The name behind its first folder, which is `a` or `b`; null where there is no file. */
function sideOf(text: string, line: number): Side | null {
  const whole = unquoted(text.replace(/\t.*$/s, ''))
  if (whole === '/dev/null') return null
  const name = whole.slice(whole.indexOf('/') + 1)
  const parts = name.split('/')
  if (whole.startsWith('/') || name.startsWith('/') || parts.includes('..')) {
    throw wrong(line, 'must name files inside the repository')
  }
  // As file systems see it that know no upper case, or that end names early.
  if (
    parts.some(part => /^\.git(?:[ .:]*$|:)|^git~1$/i.test(part.replace(/[\u200c-\u200f\u202a-\u202e\ufeff]/g, '')))
  ) {
    throw wrong(line, 'must not touch `.git`')
  }
  return { name, line }
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '"': '"',
  '\\': '\\',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
}

/** Git writes odd names in quotes, byte by byte. */
function unquoted(text: string): string {
  const name = text.replace(/\r$/, '')
  const inner = /^"(.*)"$/s.exec(name)?.[1] ?? /^x\/"(.*)"$/s.exec(name)?.[1]
  if (inner === undefined) return name
  const bytes = inner.replace(/\\([0-7]{3}|.)|[^\\]+/gs, (whole, code?: string) => {
    if (code === undefined) return Buffer.from(whole, 'utf8').toString('latin1')
    return code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8) & 0xff) : (escapes[code] ?? code)
  })
  const plain = Buffer.from(bytes, 'latin1').toString('utf8')
  return name.startsWith('x/') ? `x/${plain}` : plain
}

function finished({ old, new: fresh, ...file }: Open): PatchFile {
  const path = fresh?.name ?? old?.name ?? ''
  const isMoved = file.change === 'rename' && old !== null
  return { ...file, path, oldPath: isMoved ? old.name : null }
}

/** `rule` is a sentence about the patch: "must …". */
export function wrong(line: number, rule: string) {
  const where = line > 0 ? ` (line ${line})` : ''
  const issues = [{ path: 'patch', rule: 'patch', expected: rule.replace(/^must /, '') }]
  return new ApiError('bad_request', `"patch" ${rule}${where}.`, { issues, ...(line > 0 && { line }) })
}
