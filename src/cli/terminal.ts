// Everything the command line touches outside itself, as arguments, so that a test can be the terminal.
import type { Keyring } from './keyring.ts'

export type Output = {
  write(text: string | Uint8Array): unknown
  isTTY?: boolean | undefined
  columns?: number | undefined
}

export type Terminal = {
  argv: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  stdin: AsyncIterable<Uint8Array | string> & { isTTY?: boolean | undefined }
  stdout: Output
  stderr: Output
  /** Aborted by Ctrl-C. */
  signal: AbortSignal
  /** Opened only when a login is stored in it or about to be. */
  keyring?: (() => Promise<Keyring | undefined>) | undefined
}

export async function readAll(stdin: Terminal['stdin']): Promise<string> {
  return (await readBytes(stdin)).toString('utf8')
}

export async function readBytes(stdin: Terminal['stdin']): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const part of stdin) parts.push(typeof part === 'string' ? Buffer.from(part) : part)
  return Buffer.concat(parts)
}

/** A line typed by a person; only ever asked on a terminal. */
export async function ask({ stdin, stderr, signal }: Terminal, question: string): Promise<string> {
  stderr.write(question)
  const next = stdin[Symbol.asyncIterator]().next()
  const stopped = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  const { value, done } = await Promise.race([next, stopped])
  return done ? '' : String(value).trim()
}

type Style = 'bold' | 'dim' | 'green' | 'red'

const codes: Record<Style, [number, number]> = { bold: [1, 22], dim: [2, 22], green: [32, 39], red: [31, 39] }

/** Colours only on a terminal, and not where NO_COLOR is set. */
export function painter(output: Output, env: Terminal['env']): (style: Style, text: string) => string {
  const isPlain = !output.isTTY || Boolean(env.NO_COLOR) || env.TERM === 'dumb'
  return (style, text) => (isPlain ? text : `\x1b[${codes[style][0]}m${text}\x1b[${codes[style][1]}m`)
}
