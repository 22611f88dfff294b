// An MCP server of the official SDK behind an authorization server that takes nothing for granted, for tests of clients.
import { createHash, randomBytes } from 'node:crypto'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { listening, type Register, registered, web } from './mcp_servers.ts'

type Client = { redirectUris: string[]; secret: string | null }
type Code = { clientId: string; redirectUri: string; challenge: string; resource: string; scope: string | null }

const metadataAt = '/.well-known/oauth-authorization-server'
const resourceAt = '/.well-known/oauth-protected-resource/mcp'

const json = (body: object, status = 200, headers: Record<string, string> = {}) =>
  Response.json(body, { status, headers })
const refused = (error: string, status = 400) => json({ error, error_description: `refused: ${error}` }, status)

/** What a test may change while it runs. */
const usual = {
  lifeSeconds: 3_600 as number | undefined,
  hasSecrets: false,
  rotates: true,
  hasRegistration: true,
  /** In place of its own. */
  registersAt: null as string | null,
  givesAt: null as string | null,
  /** Answers of the token endpoint are this status, whatever is asked. */
  brokenWith: null as number | null,
  /** Who it says it is when it sends people back. */
  iss: null as string | null,
}

export async function oauthServer(register: Register) {
  const ways = { ...usual }
  const clients = new Map<string, Client>()
  const codes = new Map<string, Code>()
  /** Refresh token → client. */
  const refreshable = new Map<string, string>()
  const accepted = new Set<string>()
  const given: string[] = []
  const seen: { path: string; fields: Record<string, string> }[] = []
  const counted = (path: string) => seen.filter(one => one.path === path).length
  const handler = createMcpHandler(() => registered(register))
  const fresh = (prefix: string) => {
    const value = `${prefix}-${randomBytes(18).toString('hex')}`
    given.push(value)
    return value
  }

  const base: string = await listening(
    web(async request => {
      const { pathname: path, searchParams } = new URL(request.url)
      if (path === '/mcp') {
        const token = request.headers.get('authorization')?.replace(/^Bearer /, '')
        if (token && accepted.has(token)) return await handler.fetch(request)
        const challenge = `Bearer resource_metadata="${base}${resourceAt}", scope="tools"`
        return json({ error: 'invalid_token' }, 401, { 'www-authenticate': challenge })
      }
      const text = await request.text()
      const isForm = request.headers.get('content-type')?.includes('urlencoded') ?? false
      const fields = Object.fromEntries(isForm ? new URLSearchParams(text) : searchParams)
      seen.push({ path, fields })
      if (path === resourceAt) return json({ resource: `${base}/mcp`, authorization_servers: [base] })
      if (path === metadataAt) return json(metadata())
      if (path === '/register') return registration(JSON.parse(text))
      if (path === '/authorize') return authorization(fields)
      if (path === '/token') return ways.brokenWith ? json({}, ways.brokenWith) : token(fields)
      return json({}, 404)
    }),
  )

  function metadata() {
    return {
      issuer: base,
      authorization_endpoint: `${base}/authorize`,
      token_endpoint: ways.givesAt ?? `${base}/token`,
      ...(ways.hasRegistration && { registration_endpoint: ways.registersAt ?? `${base}/register` }),
      token_endpoint_auth_methods_supported: [ways.hasSecrets ? 'client_secret_post' : 'none'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    }
  }

  function registration(body: { redirect_uris: string[] }) {
    const id = `client-${clients.size + 1}`
    const secret = ways.hasSecrets ? fresh('secret') : null
    clients.set(id, { redirectUris: body.redirect_uris, secret })
    return json({ client_id: id, ...(secret && { client_secret: secret }) }, 201)
  }

  /** As if the person had agreed at once. */
  function authorization(fields: Record<string, string>) {
    const { client_id = '', redirect_uri = '', state = '', code_challenge = '', resource = '', scope } = fields
    const client = clients.get(client_id)
    if (!client?.redirectUris.includes(redirect_uri)) return refused('invalid_request')
    if (fields.response_type !== 'code' || fields.code_challenge_method !== 'S256' || resource !== `${base}/mcp`) {
      return refused('invalid_request')
    }
    const code = fresh('code')
    codes.set(code, {
      clientId: client_id,
      redirectUri: redirect_uri,
      challenge: code_challenge,
      resource,
      scope: scope ?? null,
    })
    const back = new URL(redirect_uri)
    for (const [name, value] of Object.entries({ code, state, iss: ways.iss ?? base }))
      back.searchParams.set(name, value)
    return new Response(null, { status: 302, headers: { location: back.href } })
  }

  function token(fields: Record<string, string>) {
    const { client_id: clientId = '' } = fields
    const client = clients.get(clientId)
    if (!client || client.secret !== (fields.client_secret ?? null)) return refused('invalid_client', 401)
    if (fields.resource !== `${base}/mcp`) return refused('invalid_target')
    if (fields.grant_type === 'refresh_token') {
      const { refresh_token: old = '' } = fields
      if (refreshable.get(old) !== clientId) return refused('invalid_grant')
      if (ways.rotates) refreshable.delete(old)
      return tokens(clientId, null)
    }
    if (fields.grant_type !== 'authorization_code') return refused('unsupported_grant_type')
    const code = codes.get(fields.code ?? '')
    codes.delete(fields.code ?? '')
    const challenge = createHash('sha256')
      .update(fields.code_verifier ?? '')
      .digest('base64url')
    const isGood =
      code?.clientId === clientId && code.redirectUri === fields.redirect_uri && code.challenge === challenge
    return code && isGood ? tokens(clientId, code.scope) : refused('invalid_grant')
  }

  function tokens(clientId: string, scope: string | null) {
    const [access, again] = [fresh('access'), fresh('refresh')]
    accepted.add(access)
    refreshable.set(again, clientId)
    return json({
      access_token: access,
      token_type: 'Bearer',
      refresh_token: again,
      ...(ways.lifeSeconds !== undefined && { expires_in: ways.lifeSeconds }),
      ...(scope && { scope }),
    })
  }

  return { base, url: `${base}/mcp`, ways, clients, refreshable, accepted, given, seen, counted }
}
