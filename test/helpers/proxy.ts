// A TCP proxy that fails on demand: what stands behind it is left alone.
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

export async function faultyProxy(target: URL, usualPort: number) {
  const pairs = new Set<[Socket, Socket]>()
  let isHeld = false
  let port = 0
  let server: Server | undefined

  function join(near: Socket): void {
    const far = connect(Number(target.port || usualPort), target.hostname)
    const pair: [Socket, Socket] = [near, far]
    pairs.add(pair)
    const end = () => {
      pairs.delete(pair)
      near.destroy()
      far.destroy()
    }
    for (const [from, to] of [pair, [far, near]] as const) {
      from.on('data', chunk => void to.write(chunk))
      from.on('error', end)
      from.on('close', end)
      if (isHeld) from.pause()
    }
  }

  async function listen(): Promise<void> {
    server = createServer(join).listen(port, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as { port: number }).port
  }

  function cut(): void {
    for (const pair of pairs) for (const socket of pair) socket.destroy()
  }

  async function refuse(): Promise<void> {
    const closing = server
    if (!closing) return
    server = undefined
    const closed = once(closing.close(), 'close')
    cut()
    await closed
  }

  await listen()
  const url = new URL(target)
  url.host = `127.0.0.1:${port}`
  return {
    url: url.href,
    /** Every open connection ends; new ones are taken. */
    cut,
    /** Nobody is there, until `listen`. */
    refuse,
    listen,
    /** Nothing passes, and nobody is told. */
    hold(): void {
      isHeld = true
      for (const pair of pairs) for (const socket of pair) socket.pause()
    },
    release(): void {
      isHeld = false
      for (const pair of pairs) for (const socket of pair) socket.resume()
    },
    close: refuse,
  }
}

export type FaultyProxy = Awaited<ReturnType<typeof faultyProxy>>
