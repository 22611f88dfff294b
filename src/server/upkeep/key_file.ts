// The secret key that is kept beside the data: whole or not there, and for the service alone.
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
import { type Config, StartError } from '../config.ts'

const fewestBytes = 32

export function keyFileIn(dataDir: string): string {
  return join(dataDir, 'secret_key')
}

/** The key of this instance: given, or made once beside the data. */
export function secretKey(config: Config): string {
  return config.SECRET_KEY || keptKey(keyFileIn(config.DATA_DIR))
}

/** The key that was made beside the data, which nobody else has; undefined where one is given, or none was made yet. */
export function ownSecretKey(config: Config): string | undefined {
  return config.SECRET_KEY ? undefined : readKey(keyFileIn(config.DATA_DIR))
}

/** What the file holds; where there is none, a new key is made and kept there. */
export function keptKey(path: string): string {
  const found = readKey(path)
  if (found !== undefined) return found
  writeKey(path, randomBytes(48).toString('base64url'))
  // Another process may have been quicker; its key is the one.
  return readKey(path) ?? ''
}

function readKey(path: string): string | undefined {
  const stats = fs.statSync(path, { throwIfNoEntry: false })
  if (!stats) return undefined
  // Windows has no such modes.
  if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0) {
    throw new StartError(`${path} can be read by other users of this machine; run: chmod 600 ${path}`)
  }
  const key = fs.readFileSync(path, 'utf8').trim()
  const bytes = Buffer.byteLength(key)
  if (bytes < fewestBytes) {
    throw new StartError(
      `${path} holds ${bytes} bytes, but a key has ${fewestBytes} or more; put the original key back from a backup, or delete the file if the service never ran with it.`,
    )
  }
  return key
}

/** Written aside and on the disk before it has its name: a full disk or a crash leaves no part of a key. */
export function writeKey(path: string, key: string): void {
  fs.mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const aside = `${path}.${randomBytes(6).toString('hex')}`
  try {
    fs.writeFileSync(aside, key, { mode: 0o600, flag: 'wx', flush: true })
    place(aside, path)
  } finally {
    fs.rmSync(aside, { force: true })
  }
  const directory = fs.openSync(dirname(path), 'r')
  try {
    fs.fsyncSync(directory)
  } finally {
    fs.closeSync(directory)
  }
}

/** A second name instead of a new one, since that never takes the place of a key that is there already. */
function place(aside: string, path: string): void {
  try {
    fs.linkSync(aside, path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return
    // Some file systems have no second names.
    fs.renameSync(aside, path)
  }
}
