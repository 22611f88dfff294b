// Every reading of a repository equals what git itself prints, on repositories with all that real ones have.
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { platform, type TestCaller, type TestPlatform } from '../helpers/platform.ts'
import { commit, git, mirrored, newRepository, repositoriesIn, said, write } from '../helpers/repositories.ts'

let p: TestPlatform
let owner: TestCaller
let path: string
let id: string
let head: string

const latin = Buffer.from('caf\xe9.txt', 'latin1')

/** Adds a file by the bytes of its name, which no file system need take. */
function addBytes(folder: string, name: Buffer, content: string): void {
  const sha = git(folder, ['hash-object', '-w', '--stdin'], { input: content }).toString().trim()
  const line = Buffer.concat([Buffer.from(`100644 ${sha}\t`), name, Buffer.from('\0')])
  git(folder, ['update-index', '-z', '--index-info'], { input: line })
}

function build(folder: string): void {
  newRepository(folder)
  const lines = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`).join('\n')
  write(folder, {
    'README.md': '# Code\n\nTODO: say more.\n',
    'src/main.ts': `${lines}\n`,
    'src/deep/er/leaf.ts': 'export const leaf = true\n',
    'crlf.txt': 'one\r\ntwo\r\n',
    'no_end.txt': 'no line end',
    'empty.txt': '',
    'binary.bin': new Uint8Array([0, 1, 2, 255]),
    'latin.txt': Buffer.from('na\xefve\n', 'latin1'),
    'umlaut ö/ß.txt': 'grüße\n',
    '-option.txt': 'not an option TODO\n',
    ':(glob)magic.txt': 'no magic\n',
    'quo"te\tand\nline.txt': 'odd TODO\n',
    'lfs.bin': `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12345\n`,
    '.gitattributes': '*.ts diff=evil filter=evil\n*.txt text eol=crlf\ncrlf.txt -text\n',
  })
  symlinkSync('src/main.ts', join(folder, 'link'))
  symlinkSync('/etc/passwd', join(folder, 'outside'))
  commit(folder, 'Begin\n\nWith a body, ümlauts\nand lines.')
  git(folder, ['update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},module`])
  addBytes(folder, latin, 'latin name\n')
  addBytes(folder, Buffer.from([0xff, 0xfe, 0x2f, 0x61]), 'bytes TODO\n')
  git(folder, ['commit', '--quiet', '-m', 'Odd names'])
  git(folder, ['reset', '--quiet', '--hard'])
  git(folder, ['mv', 'src/main.ts', 'src/moved.ts'])
  write(folder, { 'src/moved.ts': `${lines.replace('line 20', 'line twenty')}\nlast\n` })
  git(folder, ['commit', '--quiet', '--all', '-m', 'Move and change'])
  for (const branch of ['one', 'two', 'three']) {
    git(folder, ['checkout', '--quiet', '-b', branch, 'main'])
    write(folder, { [`${branch}.txt`]: `${branch}\n` })
    git(folder, ['add', `${branch}.txt`])
    git(folder, ['commit', '--quiet', '-m', `On ${branch}`])
  }
  git(folder, ['checkout', '--quiet', 'main'])
  git(folder, ['merge', '--quiet', '-m', 'Octopus', 'one', 'two', 'three'])
  git(folder, ['tag', '-a', 'v1.0', '-m', 'First'])
  git(folder, ['tag', 'light/weight'])
  git(folder, ['rm', '--quiet', 'empty.txt'])
  git(folder, ['commit', '--quiet', '-m', 'Remove'])
}

beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
  owner = await p.user()
  const url = `readings-${process.pid}`
  path = join(repositoriesIn(), url)
  build(path)
  head = said(path, 'rev-parse', 'HEAD')
  id = await mirrored(p, owner, url)
}, 60_000)
afterAll(() => p.close())

const read = async (what: string, input: object = {}, headers: Record<string, string> = {}) =>
  await p.call(`repositories.${what}`, { workspaceId: owner.workspaceId, id, ...input }, owner, headers)

const bytesOf = ({ path: text, pathBytes }: { path: string; pathBytes: string | null }) =>
  pathBytes === null ? Buffer.from(text) : Buffer.from(pathBytes, 'base64')

const records = (output: Buffer) => output.toString('latin1').split('\0').filter(Boolean)

type Entry = {
  mode: string
  type: string
  objectSha: string
  size: number | null
  path: string
  pathBytes: string | null
}

/** As `git ls-tree -l -z` prints it. */
const printed = (entry: Entry) => {
  const types: Record<string, string> = { folder: 'tree', submodule: 'commit' }
  const size = entry.size === null ? '-' : String(entry.size)
  return `${entry.mode} ${types[entry.type] ?? 'blob'} ${entry.objectSha} ${size.padStart(7)}\t${bytesOf(entry).toString('latin1')}`
}

async function walk(folder: string, pathBytes?: string): Promise<string[]> {
  const { result } = await read('tree', pathBytes ? { pathBytes } : { path: folder })
  const lines: string[] = []
  for (const entry of result.entries) {
    if (entry.type === 'folder') lines.push(...(await walk(entry.path, entry.pathBytes ?? undefined)))
    else lines.push(printed(entry))
  }
  return lines
}

describe('repositories.tree', () => {
  it('lists every folder as git does', async () => {
    expect(await walk('')).toEqual(records(git(path, ['ls-tree', '-r', '-l', '-z', '--full-tree', head])))
    const { result } = await read('tree')
    expect(result.sha).toBe(head)
    expect(result.entries.map(printed)).toEqual(records(git(path, ['ls-tree', '-l', '-z', head])))
  })

  it('gives large folders in parts', async () => {
    const { result: first } = await read('tree', { limit: 3 })
    const { result: second } = await read('tree', { limit: 1000, after: first.next })
    const { result: whole } = await read('tree')
    expect([...first.entries, ...second.entries]).toEqual(whole.entries)
    expect([first.next, second.next, whole.next]).toEqual([3, null, null])
  })

  it('answers 404 to what is no folder or not there', async () => {
    for (const at of ['README.md', 'nowhere', 'src/nowhere', '..', 'link/x', 'module']) {
      expect((await read('tree', { path: at })).status, at).toBe(404)
    }
  })
})

describe('repositories.contents', () => {
  it('reads every file byte for byte', async () => {
    for (const line of records(git(path, ['ls-tree', '-r', '-z', '--full-tree', head]))) {
      const [about = '', name = ''] =
        line.split('\t').length > 2 ? [line.slice(0, 52), line.slice(53)] : line.split('\t')
      const [mode, type, sha = ''] = about.split(' ')
      const { result, status } = await read('contents', { pathBytes: Buffer.from(name, 'latin1').toString('base64') })
      expect(status, line).toBe(200)
      expect(bytesOf(result).toString('latin1')).toBe(name)
      expect(result).toMatchObject({ mode, objectSha: sha, sha: head })
      if (type === 'commit') {
        expect(result).toMatchObject({ type: 'submodule', text: null, base64: null, size: null })
        continue
      }
      const expected = git(path, ['cat-file', 'blob', sha])
      const got = result.base64 === null ? Buffer.from(result.text) : Buffer.from(result.base64, 'base64')
      expect(got.equals(expected), name).toBe(true)
      expect(result.size).toBe(expected.length)
    }
  })

  it('takes names that are not UTF-8 as they are shown, and as bytes', async () => {
    const shown = await read('contents', { path: 'caf\\xE9.txt' })
    expect(shown.result).toMatchObject({
      path: 'caf\\xE9.txt',
      pathBytes: latin.toString('base64'),
      text: 'latin name\n',
    })
    expect((await read('contents', { pathBytes: latin.toString('base64') })).result.text).toBe('latin name\n')
  })

  it('shows a link as what it says, and follows none', async () => {
    expect((await read('contents', { path: 'outside' })).result).toMatchObject({ type: 'symlink', text: '/etc/passwd' })
    expect((await read('contents', { path: 'link/x' })).status).toBe(404)
  })

  it('gives lines as they are in the file', async () => {
    const { result } = await read('contents', { path: 'src/moved.ts', lines: '20-21' })
    expect(result).toMatchObject({ text: 'line twenty\nline 21\n', lines: { from: 20, to: 21, total: 41 } })
    expect((await read('contents', { path: 'crlf.txt', lines: '2' })).result.text).toBe('two\r\n')
    expect((await read('contents', { path: 'no_end.txt', lines: '1-9' })).result.text).toBe('no line end')
    expect((await read('contents', { path: 'crlf.txt', lines: '3' })).status).toBe(400)
    expect((await read('contents', { path: 'crlf.txt', lines: '2-1' })).status).toBe(400)
    expect((await read('contents', { path: 'binary.bin', lines: '1' })).status).toBe(400)
  })

  it('tells a pointer of LFS from a file', async () => {
    expect((await read('contents', { path: 'lfs.bin' })).result.lfs).toEqual({ oid: 'a'.repeat(64), size: 12345 })
    expect((await read('contents', { path: 'README.md' })).result.lfs).toBeNull()
  })

  it('reads at branches, tags and ids, whole or short', async () => {
    const first = said(path, 'rev-list', '--max-parents=0', 'HEAD')
    for (const ref of [first, first.slice(0, 9)]) {
      expect((await read('contents', { path: 'src/main.ts', ref })).result.sha, ref).toBe(first)
    }
    for (const ref of ['main', 'heads/main', 'refs/heads/main', 'v1.0', 'light/weight']) {
      const { result } = await read('contents', { path: 'README.md', ref })
      expect(result?.sha, ref).toBe(said(path, 'rev-parse', `${ref}^{commit}`))
    }
    for (const ref of ['nowhere', 'main~1', 'HEAD@{1}', ':README.md', '--all', 'f'.repeat(40)]) {
      expect((await read('contents', { path: 'README.md', ref })).status, ref).toBe(404)
    }
  })
})

describe('an answer with the same commit', () => {
  it('is 304 without git', async () => {
    for (const [what, input] of [
      ['contents', { path: 'README.md' }],
      ['tree', {}],
      ['commits', {}],
      ['diff', { base: 'v1.0' }],
      ['blame', { path: 'README.md' }],
      ['grep', { q: 'TODO' }],
    ] as const) {
      const first = await read(what, input)
      expect(first.status, what).toBe(200)
      const tag = String(first.headers.etag)
      const again = await read(what, input, { 'if-none-match': `"other", ${tag}` })
      expect([again.status, again.text, again.headers.etag], what).toEqual([304, '', tag])
      expect((await read(what, input, { 'if-none-match': '"other"' })).status).toBe(200)
    }
  })
})

describe('repositories.commits', () => {
  const format = '%H%x00%T%x00%P%x00%an%x00%ae%x00%at%x00%cn%x00%ce%x00%ct%x00%s%x00%B'
  const log = (...args: string[]) => {
    const values = git(path, ['log', '-z', `--format=${format}`, ...args])
      .toString('utf8')
      .split('\0')
    const found = []
    for (let at = 0; at + 11 <= values.length; at += 11) {
      const [sha, treeSha, parents, an, ae, adate, cn, ce, cdate, subject, message] = values.slice(at, at + 11)
      const time = (text?: string) => new Date(Number(text) * 1000).toISOString()
      found.push({
        sha,
        author: { name: an, email: ae, at: time(adate) },
        committer: { name: cn, email: ce, at: time(cdate) },
        subject,
        parents: parents ? parents.split(' ') : [],
        treeSha,
        message,
      })
    }
    return found
  }

  it('has them as `git log` does, with merges and octopuses', async () => {
    const { result } = await read('commits', { limit: 100 })
    expect(result.commits).toEqual(log(head))
    expect(result.commits.some(({ parents }: { parents: string[] }) => parents.length === 3)).toBe(true)
    expect(result.next).toBeNull()
  })

  it('narrows them by path, time and place', async () => {
    for (const at of ['src', 'src/moved.ts', 'one.txt', '-option.txt', 'empty.txt', ':(glob)magic.txt', 'never']) {
      const { result } = await read('commits', { path: at, limit: 100 })
      expect(result.commits, at).toEqual(log(head, '--', `:(literal)${at}`))
    }
    const { result: latinOnes } = await read('commits', { pathBytes: latin.toString('base64') })
    expect(latinOnes.commits).toHaveLength(1)
    const { result: first } = await read('commits', { limit: 2 })
    const { result: second } = await read('commits', { limit: 2, after: first.next })
    expect([...first.commits, ...second.commits]).toEqual(log('-n4', head))
    const since = new Date(1_700_000_000_000 + 1).toISOString()
    expect((await read('commits', { since, limit: 100 })).result.commits).toEqual(
      log(`--since=${Math.floor(Date.parse(since) / 1000)}`, head),
    )
  })
})

describe('repositories.diff', () => {
  const options = ['--no-color', '--full-index', '--find-renames', '-p']

  it('is the patch of git, byte for byte', async () => {
    const first = said(path, 'rev-list', '--max-parents=0', 'HEAD')
    const commits = said(path, 'rev-list', 'HEAD').split('\n')
    for (const one of commits) {
      const { result } = await read('diff', { base: first, head: one, format: 'unified' })
      const expected = git(path, ['diff', ...options, first, one])
      const got = result.patch === null ? Buffer.from(result.patchBytes, 'base64') : Buffer.from(result.patch)
      expect(got.toString('latin1')).toBe(expected.toString('latin1'))
    }
  })

  it('has the lines of the patch in its hunks, with their numbers', async () => {
    for (const [base, to] of [
      ['v1.0~4', 'main'],
      ['main~2', 'v1.0'],
    ]) {
      const [from, until] = [said(path, 'rev-parse', base as string), said(path, 'rev-parse', `${to}^{commit}`)]
      const { result } = await read('diff', { base: from, head: until })
      const names = git(path, ['diff', '--name-status', '--find-renames', '-z', from, until]).toString('utf8')
      const letters: Record<string, string> = { added: 'A', modified: 'M', deleted: 'D', type_changed: 'T' }
      const shown = result.files.flatMap(
        (file: { status: string; oldPath: string; path: string; similarity: number; pathBytes: string | null }) =>
          file.status === 'renamed'
            ? [`R${String(file.similarity).padStart(3, '0')}`, file.oldPath, file.path]
            : [letters[file.status], bytesOf(file).toString('utf8')],
      )
      expect(shown).toEqual(names.split('\0').slice(0, -1))
      const stat = said(path, 'diff', '--shortstat', '--find-renames', from, until)
      expect(stat).toContain(`${result.files.length} file`)
      expect(result.added).toBe(Number(/(\d+) insertion/.exec(stat)?.[1] ?? 0))
      expect(result.removed).toBe(Number(/(\d+) deletion/.exec(stat)?.[1] ?? 0))
      type Line = { type: string; text: string; newLine: number | null }
      for (const file of result.files) {
        if (!file.hunks || file.isBinary || file.newSha === null || /^1[26]/.test(file.newMode)) continue
        const blob = git(path, ['cat-file', 'blob', file.newSha]).toString('utf8').split('\n')
        const lines: Line[] = file.hunks.flatMap((hunk: { lines: Line[] }) => hunk.lines)
        for (const line of lines) if (line.newLine !== null) expect(blob[line.newLine - 1]).toBe(line.text)
      }
    }
  })

  it('without a base is what the commit changed, also of the first one', async () => {
    const first = said(path, 'rev-list', '--max-parents=0', 'HEAD')
    const { result } = await read('diff', { head: first })
    expect(result).toMatchObject({ sha: first, baseSha: null })
    expect(result.files).toHaveLength(
      Number(said(path, 'ls-tree', '-r', '--name-only', '-z', first).split('\0').length - 1),
    )
    const last = await read('diff')
    expect(last.result.files).toMatchObject([{ path: 'empty.txt', status: 'deleted' }])
  })

  it('begins where both parted, where that is asked for', async () => {
    const { result } = await read('diff', { base: 'one', head: 'two', mergeBase: true })
    expect(result.baseSha).toBe(said(path, 'merge-base', 'one', 'two'))
    expect(result.files.map((file: { path: string }) => file.path)).toEqual(['two.txt'])
    const narrowed = await read('diff', { base: 'one', head: 'main', path: 'three.txt' })
    expect(narrowed.result.files.map((file: { path: string }) => file.path)).toEqual(['three.txt'])
  })
})

describe('repositories.blame', () => {
  it('names the commits that git names, line by line', async () => {
    const files = ['README.md', 'src/moved.ts', 'crlf.txt', 'no_end.txt', 'latin.txt', '-option.txt', 'umlaut ö/ß.txt']
    for (const at of [...files, 'quo"te\tand\nline.txt']) {
      const { result, status } = await read('blame', { path: at })
      expect(status, at).toBe(200)
      const expected = git(path, ['blame', '-l', '-s', '--root', head, '--', at])
        .toString('latin1')
        .split('\n')
        .slice(0, -1)
        .map(line => line.slice(0, 40))
      const got: string[] = []
      for (const { from, to, commitSha } of result.ranges) for (let n = from; n <= to; n++) got[n - 1] = commitSha
      expect(got, at).toEqual(expected)
      const named = new Set(result.commits.map(({ sha }: { sha: string }) => sha))
      expect([...new Set(expected)].every(sha => named.has(sha))).toBe(true)
    }
  })

  it('follows a rename to the old name', async () => {
    const { result } = await read('blame', { path: 'src/moved.ts', lines: '1-20' })
    expect(result.ranges.map((range: { originalPath: string }) => range.originalPath)).toEqual([
      'src/main.ts',
      'src/moved.ts',
    ])
    expect((await read('blame', { path: 'binary.bin' })).status).toBe(404)
    expect((await read('blame', { path: 'src' })).status).toBe(404)
    expect((await read('blame', { path: 'README.md', lines: '99' })).status).toBe(400)
  })
})

describe('repositories.grep', () => {
  const grep = (...args: string[]) => {
    const output = git(path, ['grep', '-z', '-n', '--column', '-I', ...args])
    return output.toString('latin1')
  }
  type Hit = { path: string; pathBytes: string | null; line: number; column: number; text: string }
  const shown = (hits: Hit[]) =>
    hits
      .map(hit => {
        const text = Buffer.from(hit.text).toString('latin1')
        return `${head}:${bytesOf(hit).toString('latin1')}\0${hit.line}\0${hit.column}\0${text}\n`
      })
      .join('')

  it('finds what git finds, by text and by expression', async () => {
    const { result: fixed } = await read('grep', { q: 'TODO' })
    expect(shown(fixed.hits)).toBe(grep('-F', '-e', 'TODO', head))
    const { result: regex } = await read('grep', { q: '^line (1|2)[0-9]$', mode: 'regex' })
    expect(shown(regex.hits)).toBe(grep('-E', '-e', '^line (1|2)[0-9]$', head))
    const { result: folded } = await read('grep', { q: 'todo', ignoreCase: true })
    expect(shown(folded.hits)).toBe(grep('-F', '-i', '-e', 'todo', head))
    const { result: multibyte } = await read('grep', { q: 'gr.ße', mode: 'regex' })
    expect(multibyte.hits).toHaveLength(1)
  })

  it('narrows it to paths, and stops at the limit', async () => {
    const paths = async (glob: string, q = 'TODO') =>
      (await read('grep', { q, glob })).result.hits.map((hit: Hit) => hit.path)
    expect(await paths('*.md')).toEqual(['README.md'])
    expect(await paths('*.ts', 'leaf')).toEqual(['src/deep/er/leaf.ts'])
    expect(await paths('src/*.ts', 'leaf')).toEqual([])
    expect(await paths('src/**/*.ts', 'leaf')).toEqual(['src/deep/er/leaf.ts'])
    expect(await paths(':(exclude)*', 'TODO')).toEqual([])
    const { result } = await read('grep', { q: 'line', limit: 5 })
    expect([result.hits.length, result.truncated]).toEqual([5, true])
    expect((await read('grep', { q: 'nowhere at all' })).result).toEqual({ sha: head, hits: [], truncated: false })
    expect((await read('grep', { q: '--help' })).result.hits).toEqual([])
  })

  it.each([
    ['a(b', 1],
    ['ab)', 2],
    ['[a', 0],
    ['*a', 0],
    ['a\\', 1],
    ['a{2,1}', 1],
    ['a{1', 1],
    ['[[:foo:]]', 1],
    ['(a)\\1', 3],
    ['((a{1,200}){1,200})', 11],
    ['a{999}', 1],
    ['x[b-a]', 6],
  ])('refuses %s and says where', async (q, position) => {
    const { status, error } = await read('grep', { q, mode: 'regex' })
    expect([status, error.metadata]).toEqual([400, { position }])
  })
})

describe('repositories.search', () => {
  it('looks through the heads of all repositories of the workspace, and of no other', async () => {
    const { workspaceId } = owner
    const { result } = await p.call('repositories.search', { workspaceId, q: 'TODO' }, owner)
    expect(result.searched).toBe(1)
    expect(result.hits.map((hit: { path: string }) => hit.path)).toContain('README.md')
    expect(result.hits[0]).toMatchObject({ repositoryId: id, sha: head })
    const other = await p.user()
    const elsewhere = await p.call('repositories.search', { workspaceId: other.workspaceId, q: 'TODO' }, other)
    expect(elsewhere.result).toEqual({ hits: [], searched: 0, truncated: false })
    const foreign = await p.call(
      'repositories.contents',
      { workspaceId: other.workspaceId, id, path: 'README.md' },
      other,
    )
    expect(foreign.status).toBe(404)
  })
})
