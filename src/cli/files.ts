// Where the command line stores its files, and how it writes them: completely or not at all.
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { CliError } from './failures.ts'
import type { Terminal } from './terminal.ts'

type Env = Terminal['env']

export function configFolder(env: Env): string {
  if (env.ATRIUM_CONFIG_DIR) return env.ATRIUM_CONFIG_DIR
  return join(env.XDG_CONFIG_HOME || join(env.HOME ?? homedir(), '.config'), 'atrium')
}

/** What can be fetched or computed again. */
export function cacheFolder(env: Env): string {
  if (env.ATRIUM_CONFIG_DIR) return join(env.ATRIUM_CONFIG_DIR, 'cache')
  return join(env.XDG_CACHE_HOME || join(env.HOME ?? homedir(), '.cache'), 'atrium')
}

/** Undefined where there is no such file. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return undefined
    throw new CliError(
      'failed',
      `Cannot read ${path} (${(error as { code?: string }).code}).`,
      'Check its permissions.',
    )
  }
}

export function readJson<T>(path: string): T | undefined {
  const text = readText(path)
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw new CliError('failed', `${path} is not JSON any more.`, 'Correct it, or remove it and log in again.')
  }
}

/** Readable by its owner alone, and replaced as a whole. */
export function writePrivate(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const fresh = `${path}.${randomBytes(6).toString('hex')}`
  try {
    writeFileSync(fresh, text, { mode: 0o600, flag: 'wx' })
    renameSync(fresh, path)
  } catch (error) {
    rmSync(fresh, { force: true })
    throw new CliError('failed', `Cannot write ${path} (${(error as { code?: string }).code}).`, 'Check its folder.')
  }
}

/** True where others could read the file; they no longer can afterwards. */
export function closeToOthers(path: string): boolean {
  if (process.platform === 'win32') return false
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0
  if ((mode & 0o077) === 0) return false
  chmodSync(path, 0o600)
  return true
}

/** A cache that cannot be written is no reason to fail. */
export function writeCache(path: string, text: string): void {
  try {
    writePrivate(path, text)
  } catch {
    // The next start computes or fetches it again.
  }
}
