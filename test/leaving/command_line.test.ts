// The command line takes a workspace out and brings it in: what a person sees meanwhile, and what they are told in the end.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { sql } from '../../src/kit/sql.ts'
import { failureIn, ownersCommandLine, type Ran } from '../helpers/terminal.ts'
import { packed } from './homes.ts'
import { filesIn, linesOf } from './zips.ts'

const { atrium, line, owner, running } = await ownersCommandLine('teams:read')
const inFolder = (name: string) => join(line.folder, name)
const dryRun = ['--query', '{"dryRun":true}']
const importing = (file: string, ...more: string[]) => [
  'workspaces',
  'import',
  '--content',
  `@${inFolder(file)}`,
  ...more,
]

/** What stood on the line of a terminal that is written over and over. */
const shownIn = ({ stderr }: Ran) => stderr.split(/\r|\x1b\[K/).filter(Boolean)

const path = 'areas/labels/labels.ndjson'
/** Few archives of one person are let in within a minute. */
async function somebody() {
  return { env: { ATRIUM_TOKEN: (await running.user()).token } }
}

let exported: Ran
/** The archive with many labels, and a file that makes it too large to be sent in one piece. */
let large: Buffer
beforeAll(async () => {
  const { workspaceId } = owner
  await running.call('labels.post', { workspaceId, name: 'Pump' }, owner)
  exported = await atrium(['workspaces', 'export', workspaceId, '--out', inFolder('small.zip')], { tty: true })
  const files = filesIn(readFileSync(inFolder('small.zip')))
  const [label] = linesOf(files, path)
  const labels = Array.from({ length: 20_000 }, (_, n) => {
    return `${JSON.stringify({ ...label, id: `label_${String(n).padStart(24, '0')}`, name: `Pump ${n}`, folded: `pump ${n}` })}\n`
  })
  large = await packed(files, { [path]: labels.join(''), 'later/drawing': randomBytes(9 * 1024 * 1024) })
  writeFileSync(inFolder('large.zip'), large)
}, 120_000)

async function workspaces(): Promise<number> {
  return (await running.database.query(sql`select id from workspaces`)).length
}

describe('atrium workspaces export', () => {
  it('shows what is packed and how much is fetched, and leaves a whole file that only its owner reads', () => {
    expect([exported.code, exported.stdout]).toEqual([0, expect.stringContaining(inFolder('small.zip'))])
    const shown = shownIn(exported)
    expect(shown[0]).toMatch(/^packing /)
    expect(shown.at(-1)).toBe('downloading 100 %')
    // The line is empty again for whatever comes next.
    expect(exported.stderr.endsWith('\r\x1b[K')).toBe(true)
    expect(statSync(inFolder('small.zip')).mode & 0o777).toBe(0o600)
    expect(existsSync(inFolder('small.zip.part'))).toBe(false)
  })
})

describe('atrium workspaces import', () => {
  it('says in a dry run what would happen, and writes nothing', async () => {
    const by = await somebody()
    const before = await workspaces()
    for (const file of ['small.zip', 'large.zip']) {
      const { code, stdout, stderr } = await atrium(importing(file, ...dryRun), by)
      expect([code, stderr]).toEqual([0, ''])
      expect(JSON.parse(stdout)).toMatchObject({ dryRun: true, imported: null, secretsToSet: [{ table: 'api_keys' }] })
    }
    expect(await workspaces()).toBe(before)
  })

  it('shows how much of a large file is sent, then which part is looked at', async () => {
    const ran = await atrium(importing('large.zip'), { tty: true })
    expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining('label')])
    const shown = shownIn(ran)
    expect(shown[0]).toMatch(/^sending \d+ %$/)
    expect(shown).toContain('sending 100 %')
    expect(shown).toContainEqual(expect.stringMatching(/^(checking|writing) \w+: part \d+ of \d+ \d+ %$/))
    expect(ran.stderr.endsWith('\r\x1b[K')).toBe(true)
  })

  it('says of a file that was cut off that it is not whole, and exits with the code for what is refused', async () => {
    const by = await somebody()
    const before = await workspaces()
    for (const [file, bytes] of [
      ['small.zip', readFileSync(inFolder('small.zip'))],
      ['large.zip', large],
    ] as const) {
      writeFileSync(inFolder(`torn-${file}`), bytes.subarray(0, bytes.length - 100))
      const ran = await atrium(importing(`torn-${file}`), by)
      expect([ran.code, ran.stdout]).toEqual([6, ''])
      expect(failureIn(ran)).toMatchObject({ kind: 'invalid', status: 400, message: expect.stringContaining('zip') })
      const seen = await atrium(importing(`torn-${file}`), { ...by, tty: true })
      expect([seen.code, shownIn(seen).at(-1)]).toEqual([6, expect.stringMatching(/^atrium: .*zip.*\n$/)])
    }
    expect(await workspaces()).toBe(before)
  })

  it('says that a login has ended, also where the file was being sent', async () => {
    const ran = await atrium(importing('large.zip'), { env: { ATRIUM_TOKEN: `sess_${'0'.repeat(60)}` } })
    expect([ran.code, failureIn(ran)]).toEqual([4, expect.objectContaining({ status: 401, next: 'Run: atrium login' })])
  })

  it('says that the connection broke, with the code for the network', async () => {
    const server = createServer((request, answer) => {
      if (request.method === 'GET') return answer.writeHead(404).end('{}')
      return request.once('data', () => request.socket.resetAndDestroy())
    })
    onTestFinished(() => void server.close())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as { port: number }
    const env = { ATRIUM_BASE_URL: `http://127.0.0.1:${port}`, ATRIUM_TOKEN: owner.token }
    const ran = await atrium(importing('large.zip'), { env })
    expect([ran.code, failureIn(ran)]).toEqual([8, expect.objectContaining({ kind: 'network' })])
  })

  it('needs a file that is there', async () => {
    expect(failureIn(await atrium(importing('nowhere.zip')))).toMatchObject({ kind: 'usage' })
  })
})
