// Connections of `pg` that come back after they were lost, and what a connection writes in one piece.
import type { Socket } from 'node:net'
import { nextTick } from 'node:process'
import pg from 'pg'
import { translateFault } from '../../kit/db_errors.ts'
import type { Session } from './pg.ts'

const reconnectMs = 1_000

/** One client that is made again, when next asked for, after it was lost. */
export function keepConnected(config: pg.ClientConfig) {
  let current: Promise<pg.Client> | undefined
  let isClosed = false
  return {
    get(): Promise<pg.Client> {
      if (isClosed) return Promise.reject(new Error('the database is closed'))
      current ??= connect(config, () => {
        current = undefined
      })
      return current
    },
    async close() {
      isClosed = true
      const client = await current?.catch(() => undefined)
      await client?.end()
    },
  }
}

/** `onLoss` hears once: a loss told twice would count for the connection that has come since. */
async function connect(config: pg.ClientConfig, onLoss: () => void): Promise<pg.Client> {
  const client = new pg.Client(config)
  let isLost = false
  const lose = () => {
    if (isLost) return
    isLost = true
    onLoss()
  }
  client.on('error', lose)
  client.on('end', lose)
  try {
    await client.connect()
  } catch (error) {
    lose()
    throw error
  }
  return client
}

export async function connected(singles: ReturnType<typeof keepConnected>): Promise<pg.Client> {
  try {
    return await singles.get()
  } catch (error) {
    throw translateFault(error)
  }
}

/** LISTEN needs a connection of its own that comes back with all its channels. */
export function listenOn(config: pg.ClientConfig) {
  const channels = new Map<string, Set<(payload: string) => void>>()
  let client: pg.Client | undefined
  let isClosed = false

  async function open(): Promise<void> {
    if (isClosed || client || channels.size === 0) return
    client = await connect(config, () => {
      client = undefined
      // Channels that were lost with the connection come back with the next one.
      if (!isClosed) setTimeout(() => open().catch(() => {}), reconnectMs).unref()
    })
    client.on('notification', ({ channel, payload = '' }) => {
      for (const hear of channels.get(channel) ?? []) hear(payload)
    })
    for (const channel of channels.keys()) await client.query(`listen ${client.escapeIdentifier(channel)}`)
  }

  return {
    async listen(channel: string, hear: (payload: string) => void) {
      const heard = channels.get(channel) ?? new Set()
      const isNew = heard.size === 0
      channels.set(channel, heard.add(hear))
      if (client && isNew) await client.query(`listen ${client.escapeIdentifier(channel)}`)
      else await open()
      return async () => {
        heard.delete(hear)
        if (heard.size > 0) return
        channels.delete(channel)
        await client?.query(`unlisten ${client.escapeIdentifier(channel)}`)
      }
    },
    async close() {
      isClosed = true
      await client?.end()
    },
  }
}

/**
 * What a transaction sends in one turn goes out in one write, as `begin` with the first statement and `commit` with the
 * last: the system call costs more than all else that is done for a statement here.
 */
export function inOneWrite(client: pg.ClientBase): Session {
  const stream = streamOf(client)
  let isGathering = false
  return {
    query(config) {
      if (!isGathering) {
        isGathering = true
        stream.cork()
        nextTick(() => {
          isGathering = false
          stream.uncork()
        })
      }
      return client.query(config as never) as never
    },
  }
}

/** The socket, or what encrypts for it. */
export function streamOf(client: pg.ClientBase): Socket {
  return (client as pg.ClientBase & { connection: { stream: Socket } }).connection.stream
}
