// The directory of the embedded engine: made whole or not at all, used by one process, never begun anew over what is there.
import { accessSync, constants, existsSync, mkdirSync, renameSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const busy = 5

/** Held by the operating system, so that it is free however the process ends. Returns the function that gives it back. */
export function lockDirectory(directory: string): () => void {
  let lock: DatabaseSync | undefined
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    accessSync(directory, constants.W_OK)
    const held = new DatabaseSync(join(directory, 'lock'))
    lock = held
    held.exec('pragma locking_mode = exclusive; begin exclusive')
    return () => held.close()
  } catch (cause) {
    lock?.close()
    const { errcode = 0, message } = cause as Error & { errcode?: number }
    // The low byte is the kind of failure, the others say more about it.
    if ((errcode & 0xff) !== busy) throw unwritable(directory, message, cause)
    throw new Error(
      `the data directory ${directory} is in use by another process; stop that one or set DATA_DIR to another directory`,
      { cause },
    )
  }
}

function unwritable(directory: string, why: string, cause?: unknown): Error {
  const text = `the data directory ${directory} cannot be written (${why}); free or mount its disk, or set DATA_DIR to another`
  return new Error(text, { cause })
}

/** Without one of these the engine would begin anew over the data that is there, or end its log before all is back. */
const parts = ['PG_VERSION', 'global/pg_control', 'base/1', 'base/5', 'pg_wal', 'pg_xact']

/**
 * Where the database's files are. `initialise` fills a folder beside it, which takes its place once it is whole: a first
 * start that is cut off leaves nothing that looks like a database.
 */
export async function databaseFolder(
  directory: string,
  initialise: (folder: string) => Promise<void>,
): Promise<string> {
  const folder = join(directory, 'postgres')
  if (!existsSync(folder)) {
    const unfinished = `${folder}.new`
    rmSync(unfinished, { recursive: true, force: true })
    await initialise(unfinished).catch(cause => {
      throw refusal(directory, cause)
    })
    renameSync(unfinished, folder)
  }
  const missing = parts.find(part => !existsSync(join(folder, part)))
  if (missing) throw damaged(directory, `${missing} is missing`)
  return folder
}

/** Two files of the engine's log: with less, it cannot even begin. */
const leastBytes = 32 * 1024 * 1024

/** Why the engine does not start. */
export function refusal(directory: string, cause: unknown): Error {
  const { bavail, bsize } = statfsSync(directory)
  const isFull = bavail * bsize < leastBytes
  return isFull ? unwritable(directory, 'its disk is full', cause) : damaged(directory, (cause as Error).message, cause)
}

function damaged(directory: string, why: string, cause?: unknown): Error {
  const text = `the database in the data directory ${directory} is damaged or incomplete (${why}); put back what is missing, or restore a backup`
  return new Error(text, { cause })
}
