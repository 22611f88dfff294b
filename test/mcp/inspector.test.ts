// The MCP Inspector, unmodified, by key and by the login that it does itself; fetched at its first use.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { browser, listeningPlatform } from '../helpers/oauth.ts'
import type { TestCaller, TestPlatform } from '../helpers/platform.ts'

const root = join(import.meta.dirname, '../..')

/** A machine without a registry leaves this out. */
function canFetch(): boolean {
  if (existsSync(join(root, 'node_modules/.cache/mcp_inspector/node_modules/@modelcontextprotocol/inspector')))
    return true
  try {
    execFileSync('npm', ['view', '@modelcontextprotocol/inspector', 'version'], { stdio: 'ignore', timeout: 20_000 })
    return true
  } catch {
    return false
  }
}

describe.runIf(canFetch())('the Inspector', () => {
  let p: TestPlatform
  let owner: TestCaller
  beforeAll(async () => {
    p = await listeningPlatform()
    owner = await p.user()
  })
  afterAll(() => p.close())

  /** As the person in front of the browser. */
  async function letIn(url: string): Promise<void> {
    const agent = browser(p)
    agent.logIn(owner)
    const page = await agent.open(url)
    const done = await agent.submit(page, { workspace: owner.workspaceId, intent: 'allow' })
    await fetch(done.headers.location)
  }

  async function run(...words: string[]): Promise<string> {
    const script = join(root, 'scripts/check_inspector.ts')
    const child = spawn(process.execPath, [
      '--disable-warning=ExperimentalWarning',
      script,
      p.config.PUBLIC_URL,
      ...words,
    ])
    let said = ''
    let isAsked = false
    const hear = (chunk: Buffer) => {
      said += chunk
      const url = new RegExp(`${p.config.PUBLIC_URL}/oauth/authorize\\S+`).exec(said)?.[0]
      if (!url || isAsked) return
      isAsked = true
      letIn(url).catch(error => {
        said += String(error)
      })
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    await new Promise(resolve => child.once('close', resolve))
    return said
  }

  it('lists, reads, writes and deletes by key', async () => {
    expect(await run((await p.key(owner)).token)).toContain('the Inspector lists, reads, writes and deletes')
  }, 400_000)

  it('logs in by itself and does the same', async () => {
    expect(await run()).toContain('the Inspector lists, reads, writes and deletes')
  }, 400_000)
})
