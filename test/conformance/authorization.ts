// Runs the MCP conformance suite's authorization scenarios against a fresh instance: node test/conformance/authorization.ts
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const suite = '@modelcontextprotocol/conformance@0.2.0-alpha.12'

function freePort(): Promise<number> {
  return new Promise(resolve => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}

/** Keeps the cookies of one person's browser; follows redirects as long as they stay on the instance. */
function person(base: string) {
  const cookies = new Map<string, string>()
  async function go(url: string, form?: URLSearchParams): Promise<Response> {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '), accept: 'text/html' },
      ...(form && { method: 'POST', body: form }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';', 1)[0] ?? '').split(/=(.*)/s)
      cookies.set(name, value)
    }
    const to = response.headers.get('location')
    return to ? await go(new URL(to, base).href) : response
  }
  return { cookies, go }
}

async function signUp(base: string): Promise<ReturnType<typeof person>> {
  const response = await fetch(`${base}/v1/auth/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'conformance@example.com', password: 'Correct4Horse!' }),
  })
  const { result } = (await response.json()) as { result: { token: string } }
  const someone = person(base)
  someone.cookies.set('session', result.token)
  return someone
}

/** What the suite asks a person to do. */
async function letIn(base: string, url: string): Promise<void> {
  const someone = await signUp(base)
  const html = await (await someone.go(url)).text()
  const action = /<form[^>]*action="([^"]*)"/.exec(html)?.[1] ?? ''
  const form = new URLSearchParams({ intent: 'allow' })
  for (const [input] of html.matchAll(/<input[^>]*>/g)) {
    const [name, value] = [/name="([^"]*)"/.exec(input)?.[1], /value="([^"]*)"/.exec(input)?.[1]]
    if (name && !input.includes('disabled')) form.append(name, value ?? '')
  }
  await someone.go(new URL(action, base).href, form)
}

async function isUp(base: string): Promise<boolean> {
  for (let tries = 0; tries < 600; tries++) {
    const answer = await fetch(`${base}/readyz`).catch(() => null)
    if (answer?.ok) return true
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  return false
}

function ended(child: ChildProcess): Promise<number> {
  return new Promise(resolve => child.once('exit', code => resolve(code ?? 1)))
}

async function main(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-conformance-'))
  const [port, callbackPort] = [await freePort(), await freePort()]
  const base = `http://127.0.0.1:${port}`
  const server = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'src/main.ts'], {
    env: { ...process.env, PORT: String(port), PUBLIC_URL: base, DATA_DIR: folder },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  try {
    if (!(await isUp(base))) throw new Error('the instance did not start')
    const address = [
      '--url',
      base,
      '--client-id',
      'atrium-cli',
      '--resource',
      `${base}/mcp`,
      '--port',
      String(callbackPort),
    ]
    const run = spawn('npx', ['-y', suite, 'authorization', ...address], { stdio: ['ignore', 'pipe', 'inherit'] })
    for await (const line of createInterface({ input: run.stdout })) {
      process.stdout.write(`${line}\n`)
      if (line.startsWith(`${base}/oauth/authorize`)) await letIn(base, line.trim())
    }
    return run.exitCode ?? (await ended(run))
  } finally {
    const stopped = ended(server)
    server.kill('SIGTERM')
    await stopped
    rmSync(folder, { recursive: true, force: true })
  }
}

process.exitCode = await main()
