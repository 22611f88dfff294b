// Where tokens for an MCP server are to be had, and the ways in which that could be told wrongly.
import { describe, expect, it } from 'vitest'
import { authorizationUrl, codeChallengeOf, discover } from '../../src/areas/integrations/mcp/oauth.ts'
import { outbound } from '../../src/server/work/outbound.ts'
import { elsewhere, listening, loopback } from '../helpers/mcp_servers.ts'

const redirectUri = 'https://here.example/callback'
const resourcePath = '/.well-known/oauth-protected-resource'
const serverPath = '/.well-known/oauth-authorization-server'
const ofResource = { resource: '$/mcp', authorization_servers: ['$/as'], scopes_supported: ['a', 'b c', 'd'] }
const ofServer = {
  issuer: '$/as',
  token_endpoint: '$/token',
  authorization_endpoint: '$/authorize?tenant=1',
  code_challenge_methods_supported: ['S256'],
  scopes_supported: ['a', 'offline_access'],
}

describe('discovery', () => {
  it.each([
    [`${resourcePath}/mcp`, `${serverPath}/as`],
    [resourcePath, '/.well-known/openid-configuration/as'],
    [resourcePath, '/as/.well-known/openid-configuration'],
  ])('finds the documents at %s and %s', async (resource, server) => {
    const found = await elsewhere({ [resource]: ofResource, [server]: ofServer })
    const discovered = await discover(loopback, `${found.base}/mcp`)
    expect(discovered).toMatchObject({
      issuer: `${found.base}/as`,
      scopes: ['a', 'd'],
      hasOfflineAccess: true,
      registrationEndpoint: null,
    })
    const url = new URL(
      authorizationUrl(discovered, { clientId: 'me', redirectUri, state: 's', codeChallenge: codeChallengeOf('v') }),
    )
    expect(Object.fromEntries(url.searchParams)).toEqual({
      tenant: '1',
      response_type: 'code',
      client_id: 'me',
      redirect_uri: redirectUri,
      state: 's',
      code_challenge: codeChallengeOf('v'),
      code_challenge_method: 'S256',
      resource: `${found.base}/mcp`,
      scope: 'a d offline_access',
    })
  })

  it('follows what the refusal says, and asks for the scopes that it names', async () => {
    const challenge = 'Bearer error="invalid_token", resource_metadata="$/meta", scope="x y"'
    const found = await elsewhere({ '/meta': ofResource, [`${serverPath}/as`]: ofServer }, challenge)
    expect(await discover(loopback, `${found.base}/mcp`)).toMatchObject({ scopes: ['x', 'y'] })
  })

  it('takes servers without metadata of their own for their own authorization servers', async () => {
    const found = await elsewhere({ [serverPath]: { ...ofServer, issuer: '$' } })
    expect(await discover(loopback, `${found.base}/mcp`)).toMatchObject({
      issuer: found.base,
      resource: `${found.base}/mcp`,
      scopes: [],
    })
  })

  it.each([
    [
      'metadata of another server',
      { [`${resourcePath}/mcp`]: { ...ofResource, resource: 'https://bank.example/mcp' } },
      'auth',
    ],
    ['metadata of a neighbour', { [`${resourcePath}/mcp`]: { ...ofResource, resource: '$/mcp2' } }, 'auth'],
    [
      'an authorization server of another name',
      { [`${serverPath}/as`]: { ...ofServer, issuer: 'https://bank.example' } },
      'auth',
    ],
    [
      'an authorization server that is no address',
      { [`${resourcePath}/mcp`]: { ...ofResource, authorization_servers: ['javascript:1'] } },
      'auth',
    ],
    ['no address for tokens', { [`${serverPath}/as`]: { ...ofServer, token_endpoint: 'file:///etc/passwd' } }, 'auth'],
    ['no documents at all', { [`${serverPath}/as`]: undefined }, 'auth'],
    ['a redirect', { [`${resourcePath}/mcp`]: 302 }, 'address'],
    ['a fault', { [`${resourcePath}/mcp`]: 500 }, 'unreachable'],
    ['a document without an end', { [`${resourcePath}/mcp`]: `"${'x'.repeat(100_000)}"` }, 'too_large'],
    ['a document that is nested too deep', { [`${serverPath}/as`]: '['.repeat(50_000) }, 'auth'],
    [
      'private addresses',
      { [`${resourcePath}/mcp`]: { ...ofResource, authorization_servers: ['http://10.0.0.1'] } },
      'address',
    ],
  ])('refuses %s', async (_, documents, fault) => {
    const found = await elsewhere({ [`${resourcePath}/mcp`]: ofResource, [`${serverPath}/as`]: ofServer, ...documents })
    await expect(discover(loopback, `${found.base}/mcp`)).rejects.toMatchObject({ name: 'McpFailure', fault })
  })

  it('does not go where the guard does not let it', async () => {
    for (const url of ['http://127.0.0.1:9/mcp', 'https://127.0.0.1:9/mcp', 'ftp://x', 'nonsense']) {
      await expect(discover(outbound(), url)).rejects.toMatchObject({ fault: 'address' })
    }
  })

  it('does not wait for a server that talks on', async () => {
    const base = await listening((incoming, outgoing) => {
      if (incoming.url !== '/mcp') return void outgoing.writeHead(404).end()
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n')
    })
    await expect(discover(loopback, `${base}/mcp`)).rejects.toMatchObject({ fault: 'auth' })
  })
})
