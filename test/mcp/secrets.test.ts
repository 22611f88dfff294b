// What every tool gives away when it is called with good input: a token only where making one is its purpose.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toolsOf } from '../../src/contract/tools.ts'
import { operations } from '../../src/operations.ts'
import { type CallRow, calls, type World, world } from '../calls.ts'
import { connect } from '../helpers/mcp.ts'
import { platform, type TestCaller, type TestPlatform } from '../helpers/platform.ts'

let p: TestPlatform
let w: World
let key: TestCaller
beforeAll(async () => {
  p = await platform({ env: { MCP_RATE_LIMIT: '1000000' } })
  w = await world(p)
  key = await p.key(w.owner)
})
afterAll(() => p.close())

/** Whoever adds to this list says that a model may see what the operation makes. */
const makers = [
  'api_keys.post',
  'api_keys.rotate',
  'api_keys.transfer',
  'auth.login',
  'auth.signup',
  'auth.verifyEmail',
  'automations.patch',
  'automations.post',
  'automations.rotateHook',
  'automations.templates.install',
  'integrations.post',
  'integrations.rotateSecret',
  'oauth_clients.post',
  'oauth_clients.rotateSecret',
  'telemetry_tokens.post',
  'telemetry_tokens.rotate',
  'workspace_members.invites.post',
  'workspace_members.invites.resend',
]

/** Keys, and everything that begins with its kind and goes on with 256 random bits. */
const token = /\b(?:atr|tt)_[0-9a-zA-Z]{54}|\bwhsec_[0-9a-zA-Z+/]{43}=|\b[a-z]{2,5}_[\w-]{43}(?![\w-])/

describe.each(toolsOf(operations).map(tool => [tool.id, tool] as const))('%s', (id, { name, operation }) => {
  it(makers.includes(id) ? 'gives the token that it makes' : 'gives no token', async () => {
    const row = calls[id as keyof typeof calls] as CallRow
    const caller = row.by ? await p.key(await p.user()) : key
    const args = await row.input(w, caller)
    const client = await connect(p, caller, { path: '/mcp/all' })
    const result = JSON.stringify(await client.callTool({ name, arguments: args }))
    await client.close()
    expect(token.exec(result)?.[0].slice(0, 6) ?? 'none').toMatch(makers.includes(id) ? /_/ : /^none$/)
    for (const secret of [caller.token, w.owner.token]) expect(result).not.toContain(secret)
    expect(JSON.stringify(operation.result ?? {}).includes('"x-secret":true')).toBe(makers.includes(id))
  })
})
