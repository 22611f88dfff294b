// What a person does at the authorization server's pages: log in, let an application in, or refuse it.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type Provider from 'oidc-provider'
import { type Client, errors, type InteractionResults } from 'oidc-provider'
import { ApiError } from '../../../contract/errors.ts'
import { GrantId } from '../../../contract/ids.ts'
import { pathOf } from '../../../contract/operation.ts'
import { roleScopes } from '../../../contract/permissions.ts'
import type { Scope } from '../../../contract/scopes.ts'
import { newId } from '../../../kit/random.ts'
import { isSameSecret } from '../../../kit/tokens.ts'
import { operations } from '../../../operations.ts'
import { isFromAnotherSite } from '../../credentials/credentials.ts'
import type { Platform } from '../../request/platform.ts'
import { type Page, pageHeaders, pageHtml } from '../pages.ts'
import { selfDescribed } from './adapter.ts'
import { grantDays } from './provider.ts'
import { record } from './record.ts'
import { claimScopes, isPlatformScope } from './scopes.ts'
import * as store from './store.ts'
import { type Asking, type Consent, consentPage, loginPage, messagePage } from './views.ts'
import { during, type Visit, visitOf } from './visit.ts'

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>

type Scene = { request: FastifyRequest; reply: FastifyReply; visit: Visit; interaction: Interaction; asking: Asking }

type Form = { intent: string; token: string; name: string; password: string; workspace: string; scopes: string[] }

type Handle = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

export function interactions(
  app: FastifyInstance,
  platform: Platform,
  provider: Provider,
): Record<'ask' | 'answer', Handle> {
  const sceneOf = async (request: FastifyRequest, reply: FastifyReply, visit: Visit): Promise<Scene> => {
    const { uid } = request.params as { uid: string }
    const interaction = await provider.interactionDetails(request.raw, reply.raw)
    if (interaction.uid !== uid) throw new errors.SessionNotFound('another page of this kind is open')
    const { client_id: clientId, redirect_uri: redirectUri } = interaction.params
    const client = await provider.Client.find(String(clientId))
    if (!client) throw new errors.SessionNotFound('the client is gone')
    const asking = {
      client,
      redirectUri: typeof redirectUri === 'string' ? redirectUri : null,
      action: `/oauth/interaction/${uid}`,
      token: platform.settings.sign('oauth form', uid),
    }
    return { request, reply, visit, interaction, asking }
  }

  /** The library looks at its session on the way, and that hangs on the visitor's. */
  const visited = (handle: (scene: Scene) => Promise<FastifyReply>) => {
    return async (request: FastifyRequest, reply: FastifyReply) => {
      const visit = await visitOf(platform, request)
      return await during(visit, async () => await handle(await sceneOf(request, reply, visit)))
    }
  }

  const ask = visited(async scene => {
    const { visit, interaction, asking, reply } = scene
    if (interaction.prompt.name === 'login') {
      const isOnlyMissing = interaction.prompt.reasons.every(reason => reason === 'no_session')
      if (visit.session && isOnlyMissing) return await beLoggedIn(scene, visit.session.userId)
      const { login_hint: hint } = interaction.params
      return show(reply, loginPage(asking, typeof hint === 'string' ? hint.slice(0, 254) : ''))
    }
    return show(reply, consentPage(await consentOf(platform, scene)))
  })

  const answer = visited(async scene => {
    if (isFromAnotherSite(scene.request.headers, platform.config)) {
      throw new errors.SessionNotFound('the form was sent by another site')
    }
    const form = formOf(scene.request.body)
    if (!isSameSecret(form.token, scene.asking.token)) throw new errors.SessionNotFound('the form is not of this page')
    if (form.intent === 'deny') return await finish(provider, scene, refusal, false)
    if (scene.interaction.prompt.name === 'login') return await logIn(app, scene, form)
    return await letIn(platform, provider, scene, form)
  })

  return { ask, answer }
}

const refusal = { error: 'access_denied', error_description: 'the user refused' }

function show(reply: FastifyReply, page: Page, status = 200): FastifyReply {
  return reply.code(status).headers(pageHeaders(page)).send(pageHtml(page))
}

/** Whatever goes wrong at these pages: a page, never a stack. */
export function showFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof errors.SessionNotFound) {
    const text = 'This page has expired. Go back to the application and start again.'
    return show(reply, messagePage('This did not work', text, error.error_description), 400)
  }
  const { statusCode = 500 } = error as { statusCode?: number }
  const isOurs = statusCode >= 500
  if (isOurs) request.log.error({ err: error }, 'an OAuth page failed')
  const text = isOurs ? 'Something went wrong on our side. Try again in a moment.' : 'The request could not be read.'
  return show(reply, messagePage('This did not work', text, request.id), isOurs ? 500 : 400)
}

function formOf(body: unknown): Form {
  const fields = body instanceof URLSearchParams ? body : new URLSearchParams()
  const one = (name: string) => fields.get(name) ?? ''
  return {
    intent: one('intent'),
    token: one('token'),
    name: one('name').trim(),
    password: one('password'),
    workspace: one('workspace'),
    scopes: fields.getAll('scope'),
  }
}

async function finish(
  provider: Provider,
  { request, reply }: Scene,
  result: InteractionResults,
  mergeWithLastSubmission: boolean,
): Promise<FastifyReply> {
  const to = await provider.interactionResult(request.raw, reply.raw, result, { mergeWithLastSubmission })
  return reply.header('cache-control', 'no-store').redirect(to, 303)
}

/** Whoever was here before is forgotten: the library begins a session of its own beside ours. */
async function beLoggedIn({ interaction, reply }: Scene, userId: string): Promise<FastifyReply> {
  interaction.session = undefined
  interaction.result = { login: { accountId: userId } }
  await interaction.persist()
  return reply.header('cache-control', 'no-store').redirect(interaction.returnTo, 303)
}

/** Through the same door as everyone: the operation counts the try, writes the ledger and sets the cookie. */
async function logIn(app: FastifyInstance, scene: Scene, { name, password }: Form): Promise<FastifyReply> {
  const { request, reply, asking } = scene
  const answer = await app.inject({
    method: 'POST',
    url: pathOf(operations['auth.login']),
    remoteAddress: request.ip,
    headers: { 'content-type': 'application/json', 'user-agent': request.headers['user-agent'] ?? '' },
    payload: JSON.stringify({ [name.includes('@') ? 'email' : 'username']: name, password }),
  })
  if (answer.statusCode === 200) {
    const { result } = answer.json() as { result: { user: { id: string } } }
    reply.header('set-cookie', answer.headers['set-cookie'])
    return await beLoggedIn(scene, result.user.id)
  }
  const isBusy = answer.statusCode === 429 || answer.statusCode >= 500
  const problem = isBusy
    ? 'Too many tries, or too many people at once. Wait a little and try again.'
    : 'The name and the password do not belong together.'
  if (!isBusy) reply.header('www-authenticate', answer.headers['www-authenticate'])
  return show(reply, loginPage(asking, name, problem), isBusy ? answer.statusCode : 401)
}

function wantedOf(interaction: Interaction): Set<string> {
  return new Set(String(interaction.params.scope ?? '').split(' '))
}

function scopesIn({ role, scopes }: store.Place): Scope[] {
  return [...roleScopes[role]].filter(scope => scopes === null || scopes.includes(scope))
}

async function consentOf({ database }: Platform, scene: Scene, form?: Form, problem?: string): Promise<Consent> {
  const { interaction, asking, visit } = scene
  const userId = interaction.session?.accountId
  const person = userId && visit.session?.userId === userId ? await store.findPerson(database, userId) : undefined
  if (!person) throw new errors.SessionNotFound('you are no longer logged in')
  const places = await store.placesOf(database, person.id)
  const wanted = wantedOf(interaction)
  const needsPlace = [...wanted].some(isPlatformScope)
  const client = await store.findClient(database, asking.client.clientId)
  return {
    ...asking,
    person: person.provenEmail ?? person.username ?? person.forename,
    wanted,
    places,
    available: new Set(places.flatMap(scopesIn)),
    ticked: new Set(form ? form.scopes : wanted),
    chosen: form?.workspace,
    isUnverified: client?.origin === 'dynamic',
    problem: needsPlace && places.length === 0 ? 'You are not a member of any workspace.' : problem,
  }
}

async function letIn(platform: Platform, provider: Provider, scene: Scene, form: Form): Promise<FastifyReply> {
  const { reply, interaction, asking } = scene
  const consent = await consentOf(platform, scene, form)
  const wanted = [...consent.wanted].filter(isPlatformScope)
  const place = consent.places.find(({ id }) => id === form.workspace)
  const ofRole = new Set(place ? scopesIn(place) : [])
  const given = wanted.filter(scope => form.scopes.includes(scope) && ofRole.has(scope))
  if (wanted.length > 0 && given.length === 0) {
    const problem = place
      ? `Nothing of what is ticked is in your role in ${place.name}. Choose something else, or refuse.`
      : 'Choose one of your workspaces.'
    return show(reply, consentPage(await consentOf(platform, scene, form, problem)), 400)
  }
  const userId = String(interaction.session?.accountId)
  const workspaceId = wanted.length > 0 ? (place?.id ?? null) : null
  const grantId = await writeGrant(platform, provider, { scene, client: asking.client, userId, workspaceId, given })
  return await finish(provider, scene, { consent: { grantId } }, true)
}

type Decision = { scene: Scene; client: Client; userId: string; workspaceId: string | null; given: readonly Scope[] }

/** Every consent is a new one: what was agreed to earlier keeps its own workspace and scopes. */
async function writeGrant(platform: Platform, provider: Provider, decision: Decision): Promise<string> {
  const { scene, client, userId, workspaceId, given } = decision
  const { database, now } = platform
  const id = newId(GrantId)
  const payload = await payloadOf(provider, decision)
  const expiresAt = new Date(now().getTime() + grantDays * 86_400_000)
  const writing = database.transaction(async tx => {
    if (!(await store.keepUser(tx, userId))) throw new errors.SessionNotFound('the account has ended')
    if (client.clientId.startsWith('https://')) {
      const described = selfDescribed(client.metadata())
      await store.putClient(tx, { id: client.clientId, origin: 'metadata', ...described }, now())
    }
    await store.insertGrant(
      tx,
      { id, clientId: client.clientId, userId, workspaceId, scopes: given, payload, expiresAt },
      now(),
    )
    await record(platform, tx, {
      action: 'auth.grants.post',
      workspaceId,
      actor: { type: 'session', id: userId, credentialId: scene.visit.session?.id ?? null },
      target: { object: 'grant', id },
      changes: [
        { path: 'clientId', after: client.clientId },
        { path: 'scopes', after: given },
      ],
    })
  })
  await writing.catch(error => {
    const isGone = error instanceof ApiError && error.kind === 'not_found'
    throw isGone ? new errors.SessionNotFound('you are no longer a member of that workspace') : error
  })
  return id
}

const isClaimScope = (scope: string) => (claimScopes as readonly string[]).includes(scope)

/** What was not ticked is written down as refused, so that it is not asked for again at once. */
async function payloadOf(provider: Provider, { scene, client, userId, given }: Decision): Promise<object> {
  const { interaction } = scene
  const grant = new provider.Grant({ accountId: userId, clientId: client.clientId })
  const resources = [interaction.params.resource ?? []].flat().map(String)
  const ticked: ReadonlySet<string> = new Set(given)
  for (const scope of wantedOf(interaction)) {
    const isGranted = !isPlatformScope(scope) || ticked.has(scope)
    if (isGranted) grant.addOIDCScope(scope)
    else grant.rejectOIDCScope(scope)
    if (!isPlatformScope(scope) && !isClaimScope(scope)) continue
    for (const resource of resources) {
      if (isGranted) grant.addResourceScope(resource, scope)
      else grant.rejectResourceScope(resource, scope)
    }
  }
  const { payload } = await (
    grant as unknown as { getValueAndPayload(): Promise<{ payload: object }> }
  ).getValueAndPayload()
  return payload
}
