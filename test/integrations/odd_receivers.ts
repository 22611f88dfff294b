// Targets on loopback that do what no good one does: they hang, close early, speak something else or never end.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Calls `answer` once for each connection, as soon as something was sent to it. */
export async function rawTarget(answer: (socket: Socket) => void) {
  const state = { connections: 0, written: 0 }
  const server = createServer(socket => {
    state.connections++
    socket.on('error', () => {})
    socket.on('close', () => {
      state.written += socket.bytesWritten
    })
    socket.once('data', () => answer(socket))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  return Object.assign(state, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}

export const hanging = () => rawTarget(() => {})

/** Writes this, and closes: at once, or once it was read. */
export const saying = (text: string) => rawTarget(socket => socket.end(text))

const chunk = Buffer.alloc(64 * 1024, 'x')
export const gibibyte = 1024 ** 3

/** As much as the other side takes, up to 1 GiB. */
export const endless = () =>
  rawTarget(socket => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${gibibyte}\r\n\r\n`)
    const more = (left: number): void => {
      for (let rest = left; rest > 0 && !socket.destroyed; rest -= chunk.length) {
        if (!socket.write(chunk)) return void socket.once('drain', () => more(rest - chunk.length))
      }
      socket.end()
    }
    more(gibibyte)
  })

/** Speaks TLS with a certificate that nobody has signed. */
export async function selfSigned() {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-certificate-'))
  try {
    const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', 'key.pem']
    const own = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '1', '-out', 'cert.pem']
    execFileSync('openssl', ['req', '-x509', ...newKey, ...own], { cwd: folder, stdio: 'ignore' })
    const [key, cert] = ['key.pem', 'cert.pem'].map(name => readFileSync(join(folder, name)))
    const state = { requests: 0 }
    const server = createTlsServer({ key, cert }, (_, response) => {
      state.requests++
      response.end()
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    server.unref()
    return Object.assign(state, { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}` })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
