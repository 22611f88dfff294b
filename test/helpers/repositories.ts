// Real repositories for tests, made by the git of this machine.
import { type ExecFileSyncOptions, execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Sql, sql } from '../../src/kit/sql.ts'

const people = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
}

/** As the service runs it: without the configuration of whoever tests. */
export const gitEnvironment = {
  PATH: process.env.PATH ?? '/usr/bin:/bin',
  HOME: '/nonexistent',
  LC_ALL: 'C.UTF-8',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  ...people,
}

export function git(folder: string, args: readonly string[], options: ExecFileSyncOptions = {}): Buffer {
  const env = { ...gitEnvironment, ...options.env }
  return execFileSync(
    'git',
    ['-c', 'protocol.file.allow=always', '-c', 'core.quotePath=false', '-C', folder, ...args],
    {
      maxBuffer: 1024 * 1024 * 1024,
      stdio: ['pipe', 'pipe', 'pipe'],
      ...options,
      env,
    },
  ) as Buffer
}

export function said(folder: string, ...args: string[]): string {
  return git(folder, args).toString('utf8').trim()
}

/** A repository with a folder to work in. */
export function newRepository(folder: string): string {
  mkdirSync(folder, { recursive: true })
  git(folder, ['init', '--quiet', '--initial-branch=main', '.'])
  return folder
}

export function write(folder: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
}

let seconds = 1_700_000_000

/** All that was written; each commit is a minute after the one before. */
export function commit(folder: string, message: string): string {
  seconds += 60
  const date = `${seconds} +0000`
  git(folder, ['add', '--all', '.'])
  git(folder, ['commit', '--quiet', '--allow-empty', '--no-gpg-sign', '--message', message], {
    env: { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
  })
  return said(folder, 'rev-parse', 'HEAD')
}

let shared: string | undefined

/** The directory below which platforms of tests may read; `small` is in it. */
export function repositoriesIn(): string {
  if (shared) return shared
  const folder = join(tmpdir(), `atrium-repositories-${process.getuid?.() ?? 0}`)
  if (!existsSync(join(folder, 'small'))) {
    mkdirSync(folder, { recursive: true })
    const beside = mkdtempSync(join(folder, 'new-'))
    newRepository(beside)
    write(beside, { 'README.md': '# Small\n\nTODO: grow.\n', 'src/main.ts': 'export const answer = 42\n' })
    write(beside, { '.github/CODEOWNERS': '* @example/engine\n' })
    commit(beside, 'Begin')
    write(beside, { 'src/main.ts': 'export const answer = 43\n' })
    commit(beside, 'Count on')
    try {
      renameSync(beside, join(folder, 'small'))
    } catch {
      // Another worker was quicker.
      rmSync(beside, { recursive: true, force: true })
    }
  }
  shared = folder
  return folder
}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at field by field
type Loose = any

type Platform = {
  call(
    id: string,
    input: Record<string, unknown>,
    caller: Loose,
  ): Promise<{ status: number; result: Loose; error: Loose }>
  database: { query(statement: Sql): Promise<unknown> }
  platform: { jobs: { runNow(kind: string, payload?: object): Promise<void> } }
}

/** Once no sync is under way any more: the job of the service may have been quicker. */
export async function settled(p: Platform, caller: { workspaceId: string }, id: string): Promise<Loose> {
  const { workspaceId } = caller
  for (let tries = 0; tries < 1000; tries++) {
    await p.platform.jobs.runNow('repositories.sync', { workspaceId, id })
    const { result } = await p.call('repositories.get', { workspaceId, id }, caller)
    if (result.status === 'ready' || result.status === 'error') return result
    await new Promise(resolve => setTimeout(resolve, 25))
  }
  throw new Error('the sync did not end')
}

/** A directory that the operator allows, as a repository that was synced, with nothing going on behind it. */
export async function mirrored(p: Platform, caller: { workspaceId: string }, url: string): Promise<string> {
  const { workspaceId } = caller
  const fields = { workspaceId, url, provider: 'local', syncIntervalMinutes: null, enabled: false }
  const { result } = await p.call('repositories.post', fields, caller)
  await p.database.query(sql`update repositories set enabled = true where id = ${result.id}`)
  await settled(p, caller, result.id)
  return result.id
}

let links = 0

/** Another name of the small repository: addresses are unique in a workspace. */
export function anotherName(): string {
  const name = `link-${process.pid}-${links++}`
  const path = join(repositoriesIn(), name)
  rmSync(path, { force: true })
  symlinkSync('small', path)
  return name
}
