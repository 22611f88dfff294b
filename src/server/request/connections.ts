// Connections: what waits on each to be read or to be answered, and when one is let go.
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'

type Open = {
  answers: Set<ServerResponse>
  /** Since when bytes wait to be read, as far as was seen; 0 where none do. */
  heldSince: number
  wasAnswered: boolean
}

export type Connections = {
  unsentBytes(): number
  /** Readers that were let go, since they did not read. */
  dropped(): number
}

type Bounds = Pick<Config, 'MAX_BYTES_UNSENT' | 'REQUEST_TIMEOUT'>

/** Nothing of an answer taken for this long: nobody reads it. */
const longestSilenceMs = 15_000
const checkMs = 250
/** Readers are let go until this part of what may be held is left, so that not every check has to. */
const enough = 0.75
/** While the service stops: for a request to arrive whole, and for answers to be read; it has nine seconds in all. */
const arrivalMs = 2_000
const readingMs = 7_000

const open = new WeakMap<Socket, Open>()

export function watchConnections(app: FastifyInstance, bounds: Bounds): Connections {
  const sockets = new Set<Socket>()
  let isClosing = false
  app.server.on('connection', socket => {
    sockets.add(socket)
    open.set(socket, { answers: new Set(), heldSince: 0, wasAnswered: false })
    socket.on('close', () => sockets.delete(socket))
  })
  app.server.on('request', ({ socket }, response) => {
    const state = open.get(socket)
    state?.answers.add(response)
    response.on('close', () => {
      if (!state) return
      state.answers.delete(response)
      state.wasAnswered = true
      if (isClosing && state.answers.size === 0) socket.end()
    })
  })
  app.addHook('preClose', async () => {
    isClosing = true
    endConnections(sockets)
  })
  return dropReaders(app, sockets, bounds)
}

/** What the parser cannot read would be told in the middle of an answer, or in the place of one that is still to come. */
export function isAnswering(socket: Socket): boolean {
  return answersOn(socket).some(({ headersSent, req }) => headersSent || req.complete)
}

function answersOn(socket: Socket): ServerResponse[] {
  return [...(open.get(socket)?.answers ?? [])]
}

/** Left to itself the server would wait for those that only stay open, and the stop would take as long as they like. */
function endConnections(sockets: ReadonlySet<Socket>): void {
  const cut = (isOver: (answers: ServerResponse[]) => boolean) => {
    for (const socket of sockets) if (isOver(answersOn(socket))) socket.destroy()
  }
  cut(answers => answers.length === 0)
  const cutUnarrived = () => cut(answers => answers.every(({ req, headersSent }) => !req.complete && !headersSent))
  // Again and again: on a connection that was answered, half of another request may follow.
  setInterval(cutUnarrived, arrivalMs).unref()
  setTimeout(() => cut(answers => answers.every(({ headersSent }) => headersSent)), readingMs).unref()
}

/** Who asks and does not read costs what is kept for them: they are let go, at the latest when there is too much of it. */
function dropReaders(app: FastifyInstance, sockets: ReadonlySet<Socket>, bounds: Bounds): Connections {
  let dropped = 0
  let unsent = 0
  const drop = (socket: Socket) => {
    dropped++
    socket.destroy()
  }
  // The runtime calls it only where nothing moved for so long, in neither direction.
  app.server.setTimeout(Math.min(longestSilenceMs, bounds.REQUEST_TIMEOUT * 1000), socket => {
    if (socket.writableLength > 0) drop(socket)
    // Idle after an answer. Who waits for ours may wait on, and who has not asked yet is told by the limit for headers.
    else if (open.get(socket)?.wasAnswered && answersOn(socket).length === 0) socket.destroy()
  })
  const checking = setInterval(() => {
    const held = heldBytes(sockets)
    unsent = sum(held)
    if (unsent <= bounds.MAX_BYTES_UNSENT) return
    const before = dropped
    for (const { socket, bytes } of worstOf(held)) {
      if (unsent <= bounds.MAX_BYTES_UNSENT * enough) break
      unsent -= bytes
      drop(socket)
    }
    app.log.warn({ dropped: dropped - before, unsent }, 'too much waited to be read; the slowest readers were let go')
  }, checkMs).unref()
  app.addHook('onClose', async () => clearInterval(checking))
  return {
    unsentBytes: () => unsent,
    dropped: () => dropped,
  }
}

type Held = { socket: Socket; bytes: number; since: number }

function heldBytes(sockets: ReadonlySet<Socket>): Held[] {
  const held: Held[] = []
  const now = performance.now()
  for (const socket of sockets) {
    const state = open.get(socket)
    if (!state) continue
    let bytes = 0
    // Of answers in a row, each holds its own; the one that is being sent also what the socket has of it.
    for (const answer of state.answers) bytes += answer.writableLength
    state.heldSince = bytes === 0 ? 0 : state.heldSince || now
    if (bytes > 0) held.push({ socket, bytes, since: state.heldSince })
  }
  return held
}

function sum(held: readonly Held[]): number {
  return held.reduce((total, { bytes }) => total + bytes, 0)
}

/**
 * Who has let us wait the longest first. Who has only just been answered comes last, whoever has the most to read first:
 * one that reads has less of it left. To spare them all would let many new readers at once have everybody else refused.
 */
function worstOf(held: readonly Held[]): Held[] {
  return held.toSorted((one, other) => one.since - other.since || other.bytes - one.bytes)
}
