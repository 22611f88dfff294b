// One round of requests, driven by wrk.
import { spawn } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type Request = { method?: string; path: string; headers?: Record<string, string>; body?: string }

export type Round = { perSecond: number; p50: number; p99: number; failed: number }

const folder = mkdtempSync(join(tmpdir(), 'atrium-wrk-'))
let scripts = 0

/** wrk takes a script in Lua; each request is the next of the list. */
function scriptOf(requests: readonly Request[]): string {
  const quoted = (text: string) => `[==[${text}]==]`
  const rows = requests.map(({ method = 'GET', path, headers = {}, body }) => {
    const fields = Object.entries(headers).map(([name, value]) => `[ ${quoted(name)} ]=${quoted(value)}`)
    return `wrk.format(${quoted(method)}, ${quoted(path)}, {${fields.join(',')}}, ${body ? quoted(body) : 'nil'})`
  })
  const path = join(folder, `${scripts++}.lua`)
  const text = `local list
init = function() list = { ${rows.join(',\n')} } end
local next = 0
request = function() next = next % #list + 1 return list[next] end`
  writeFileSync(path, text)
  return path
}

export async function drive(
  base: string,
  requests: readonly Request[],
  { seconds = 3, connections = 32 } = {},
): Promise<Round> {
  const script = scriptOf(requests)
  const child = spawn(
    'wrk',
    ['-t1', `-c${connections}`, `-d${seconds}`, '--latency', '--timeout', '20', '-s', script, base],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  let text = ''
  child.stdout.on('data', chunk => {
    text += chunk
  })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  if (code !== 0) throw new Error(`wrk ended with ${code}: ${text}`)
  const number = (pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? 0)
  const socketErrors = [...text.matchAll(/(?:connect|read|write|timeout) (\d+)/g)].map(match => Number(match[1]))
  return {
    perSecond: number(/Requests\/sec:\s+([\d.]+)/),
    p50: milliseconds(/50%\s+([\d.]+)(us|ms|s)/.exec(text)),
    p99: milliseconds(/99%\s+([\d.]+)(us|ms|s)/.exec(text)),
    failed: number(/Non-2xx or 3xx responses: (\d+)/) + socketErrors.reduce((sum, count) => sum + count, 0),
  }
}

function milliseconds(match: RegExpExecArray | null): number {
  const factor = { us: 0.001, ms: 1, s: 1000 }[match?.[2] ?? 'ms'] ?? 1
  return Number(match?.[1] ?? Number.NaN) * factor
}
