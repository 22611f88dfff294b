// The thread of the embedded engine: it owns the data directory and its lock, runs what it is sent, answers with bytes.
import { fdatasyncSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import { databaseFolder, lockDirectory, refusal } from './data_directory.ts'
import { unpackDatabase } from './prepared_database.ts'

/** What the thread is started with. */
export type EngineStart = { directory?: string; dump?: Blob; prepared?: string; compileCache?: string }

/** Bytes of the PostgreSQL protocol, or one of two commands. */
export type ToEngine = Uint8Array<ArrayBuffer> | 'dump' | 'close'

export type FromEngine =
  | Uint8Array<ArrayBuffer>
  | { kind: 'ready' | 'closed' }
  | { kind: 'died'; error: Error }
  | { kind: 'dump'; dump: Blob }

/** The engine as shipped never calls fsync; these parameters make it, and `syncToDisk` lets it reach the disk. */
const durable = [...PGlite.defaultStartParams.filter(parameter => parameter !== '-F'), '-c', 'wal_sync_method=fsync']
/** Only laid beside the database, so that it can be created there: a directory that was made without it opens as before. */
const extensions = { vector }
const inUtc = ['-c', 'timezone=UTC']

/** Answers are gathered up to this size, so that a small one is one message and a long one can be read as it comes. */
const sendAtBytes = 256 * 1024

async function startEngine({ directory, dump, prepared }: EngineStart): Promise<PGlite> {
  const startParams = [...(directory ? durable : PGlite.defaultStartParams), ...inUtc]
  if (!directory) return await PGlite.create({ ...(dump && { loadDataDir: dump }), startParams, extensions })
  const open = async (folder: string) => {
    const pglite = await PGlite.create({ dataDir: folder, startParams, extensions })
    syncToDisk(pglite, folder)
    return pglite
  }
  const folder = await databaseFolder(directory, async unfinished => {
    if (!prepared || !unpackDatabase(prepared, unfinished)) await (await open(unfinished)).close()
  })
  return await open(folder).catch(cause => {
    throw refusal(directory, cause)
  })
}

/** Gives the engine's mount of the data directory the fsync that it lacks. */
function syncToDisk(pglite: PGlite, directory: string): void {
  type Mount = { opts?: { root?: string }; type: { stream_ops: { fsync?: (stream: { nfd: number }) => number } } }
  const inside = pglite as unknown as { Module: { FS: { root: { mount: { mounts: Mount[] } } } } }
  const mount = inside.Module.FS.root.mount.mounts.find(candidate =>
    candidate.opts?.root?.endsWith(directory.replace(/^\.\//, '')),
  )
  if (!mount) throw new Error('the embedded database has no mount for its data directory: writes would not be durable')
  mount.type.stream_ops.fsync = stream => {
    fdatasyncSync(stream.nfd)
    return 0
  }
}

type Port = NonNullable<typeof parentPort>

function send(port: Port, message: FromEngine): void {
  port.postMessage(message, message instanceof Uint8Array ? [message.buffer] : [])
}

/** Runs bytes of the protocol; what comes back is sent in few messages. */
async function execute(pglite: PGlite, port: Port, message: Uint8Array): Promise<void> {
  let gathered: Uint8Array[] = []
  let size = 0
  const sendGathered = () => {
    const bytes = new Uint8Array(size)
    let offset = 0
    for (const part of gathered) {
      bytes.set(part, offset)
      offset += part.length
    }
    gathered = []
    size = 0
    send(port, bytes)
  }
  await pglite.execProtocolRawStream(message, {
    syncToFs: false,
    onRawData: bytes => {
      // The engine uses its buffer again.
      gathered.push(bytes.slice())
      size += bytes.length
      if (size >= sendAtBytes) sendGathered()
    },
  })
  if (size > 0) sendGathered()
}

/** Everything that has arrived by now, as one message; a command stands alone. */
function nextWork(port: Port, arrived: ToEngine[]): ToEngine | undefined {
  for (let more = receiveMessageOnPort(port); more; more = receiveMessageOnPort(port)) arrived.push(more.message)
  const first = arrived.shift()
  if (!(first instanceof Uint8Array) || !(arrived[0] instanceof Uint8Array)) return first
  const parts = [first]
  while (arrived[0] instanceof Uint8Array) parts.push(arrived.shift() as Uint8Array<ArrayBuffer>)
  return Buffer.concat(parts)
}

async function serve(port: Port, start: EngineStart): Promise<void> {
  const unlock = start.directory ? lockDirectory(start.directory) : () => {}
  const pglite = await startEngine(start).catch(error => {
    unlock()
    throw error
  })
  const arrived: ToEngine[] = []
  let isBusy = false
  const work = async () => {
    isBusy = true
    for (let next = nextWork(port, arrived); next !== undefined; next = nextWork(port, arrived)) {
      if (next === 'dump') send(port, { kind: 'dump', dump: await pglite.dumpDataDir('none') })
      else if (next === 'close') {
        await pglite.close()
        unlock()
        send(port, { kind: 'closed' })
        port.close()
        return
      } else await execute(pglite, port, next)
    }
    isBusy = false
  }
  port.on('message', (message: ToEngine) => {
    arrived.push(message)
    if (!isBusy) work().catch(error => send(port, { kind: 'died', error }))
  })
  send(port, { kind: 'ready' })
}

if (parentPort) {
  const port = parentPort
  const start: EngineStart = workerData
  if (start.compileCache) enableCompileCache(start.compileCache)
  serve(port, start).catch(error => {
    send(port, { kind: 'died', error })
    port.close()
  })
}
