// Connections when the service stops: each is let go as soon as it has no request in flight.
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Left to itself the server would wait for those that only stay open, and the stop would take as long as they like. */
export function endConnectionsOnClose(app: FastifyInstance): void {
  const inFlight = new Map<Socket, number>()
  let isClosing = false
  app.server.on('connection', socket => {
    inFlight.set(socket, 0)
    socket.on('close', () => inFlight.delete(socket))
  })
  app.server.on('request', ({ socket }, response) => {
    inFlight.set(socket, (inFlight.get(socket) ?? 0) + 1)
    response.on('close', () => {
      const left = (inFlight.get(socket) ?? 1) - 1
      if (inFlight.has(socket)) inFlight.set(socket, left)
      if (isClosing && left === 0) socket.end()
    })
  })
  app.addHook('preClose', async () => {
    isClosing = true
    for (const [socket, count] of inFlight) if (count === 0) socket.destroy()
  })
}
