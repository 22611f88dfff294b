// The socket by which the command line asks the running service for what only it can do with the embedded database.
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { chmod, readdir, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Log } from '../../kit/context.ts'
import type { Database } from '../../kit/db.ts'
import { type Config, StartError } from '../config.ts'
import { backUp } from './backup.ts'
import { ownSecretKey } from './key_file.ts'

/** Longer addresses of sockets are cut off by the operating system. */
const longestPath = 103
const request = 'backup\n'
const done = 'done\n'

export type Control = { close(): Promise<void> }

function socketIn(dataDir: string): string {
  return join(dataDir, 'control.sock')
}

/** Whoever may read the data directory may ask; nobody else can reach the socket. Without it the service runs all the same. */
export async function openControl(config: Config, database: Database, log: Log): Promise<Control> {
  const path = socketIn(config.DATA_DIR)
  await clear(config.DATA_DIR)
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    answer(config, database, socket).catch(error => {
      log.error({ err: error }, 'a backup failed')
      socket.end(`${(error as Error).message.replaceAll('\n', ' ')}\n`)
    })
  })
  try {
    if (Buffer.byteLength(path) > longestPath) throw new Error('the path is too long')
    server.listen(path)
    await once(server, 'listening')
    await chmod(path, 0o600)
  } catch (error) {
    log.warn({ err: error, path }, 'there is no control socket: the service must be stopped to be backed up')
    return { close: async () => {} }
  }
  return {
    async close() {
      server.close()
      // A backup under way is finished; whoever has not asked for one is not waited for.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
      await once(server, 'close')
    },
  }
}

/** What a process that was killed left behind; the lock on the directory says that it is gone. */
async function clear(dataDir: string): Promise<void> {
  const left = (await readdir(dataDir)).filter(name => name === 'control.sock' || /^backup\.\d+\.part$/.test(name))
  for (const name of left) await rm(join(dataDir, name), { force: true })
}

let count = 0

/** Into a file of our own first: the database must not wait for whoever reads the answer. */
async function answer(config: Config, database: Database, socket: Socket): Promise<void> {
  const [asked] = (await once(socket, 'data')) as [Buffer]
  if (asked.toString() !== request) throw new Error('the service does not know this request')
  const path = join(config.DATA_DIR, `backup.${count++}.part`)
  try {
    await backUp(database, path, ownSecretKey(config))
    socket.write(done)
    await pipeline(createReadStream(path), socket)
  } finally {
    await rm(path, { force: true })
  }
}

/** False where no service can be asked; if there is one, the lock on the directory says so. */
export async function askForBackup(dataDir: string, path: string): Promise<boolean> {
  const socket = connect(socketIn(dataDir))
  try {
    await once(socket, 'connect')
  } catch {
    return false
  }
  socket.write(request)
  const chunks = socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  const { value: first = Buffer.alloc(0) } = await chunks.next()
  if (!first.subarray(0, done.length).equals(Buffer.from(done))) {
    throw new StartError(`The service could not make the backup: ${first.toString().trim() || 'it went away'}.`)
  }
  await pipeline(
    async function* () {
      yield first.subarray(done.length)
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value
    },
    createWriteStream(path, { mode: 0o600, flags: 'wx', flush: true }),
  )
  return true
}
