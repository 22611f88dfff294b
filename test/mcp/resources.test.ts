// Records as resources of agents.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect } from '../helpers/mcp.ts'
import { platform, type TestCaller, type TestPlatform } from '../helpers/platform.ts'

let p: TestPlatform
let owner: TestCaller
beforeAll(async () => {
  p = await platform()
  owner = await p.user()
})
afterAll(() => p.close())

describe('records as resources', () => {
  it('are read at the address that search gives, by whoever may', async () => {
    const { workspaceId } = owner
    const team = (await p.call('teams.post', { workspaceId, name: 'Xylophones' }, owner)).result
    const [{ uri }] = (await p.call('search.query', { workspaceId, q: 'xylo' }, owner)).result.items
    const client = await connect(p, await p.key(owner))
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain('atrium://{workspaceId}/team/{id}')
    const { contents } = await client.readResource({ uri })
    expect(JSON.parse((contents[0] as { text: string }).text)).toEqual(team)
    await expect(client.readResource({ uri: `${uri}0` })).rejects.toThrow()
    await client.close()
    const narrow = await connect(p, await p.key(owner, { scopes: ['api_keys:read'] }))
    const templates = (await narrow.listResourceTemplates()).resourceTemplates
    expect(templates.map(({ name }) => name)).toEqual(['api_key'])
    await expect(narrow.readResource({ uri })).rejects.toThrow()
    await narrow.close()
    const stranger = await p.user()
    const elsewhere = await connect(p, await p.key(stranger))
    await expect(elsewhere.readResource({ uri })).rejects.toThrow()
    await elsewhere.close()
  })
})
