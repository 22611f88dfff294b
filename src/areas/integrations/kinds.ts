// What each type of integration does with an event: the message that is made of it, and how that is sent.
import { hash } from 'node:crypto'
import { refused } from '../../contract/errors.ts'
import type { BeforeContext, Context } from '../../kit/context.ts'
import type { Db } from '../../kit/db.ts'
import type { JobContext } from '../../kit/jobs.ts'
import { signedHeaders } from '../../kit/webhook_signing.ts'
import { verifiedAmong } from '../workspace_members/addresses/store.ts'
import type { Parts } from './accepting.ts'
import { call } from './calling.ts'
import { appKeyOf } from './hosts/app.ts'
import { checkMapping } from './inbound/mapping/mapping.ts'
import * as discord from './messages/discord.ts'
import type { EventView } from './messages/event_view.ts'
import { mailOf } from './messages/mail.ts'
import * as mattermost from './messages/mattermost.ts'
import * as slack from './messages/slack.ts'
import * as teams from './messages/teams.ts'
import type { Connection, Listening } from './store.ts'
import type { IntegrationType } from './types/contract.ts'
import { refuseTemplates } from './using/requesting.ts'

/** An integration with its secrets open. */
export type Target = Omit<Connection, 'secrets'> & { secrets: Readonly<Record<string, string>> }
export type Message = { id: string; at: Date; body: string }

export type Sent = {
  isOk: boolean
  code: number | null
  responseBody: string | null
  error: string | null
  /** As they are shown. */
  requestHeaders: Record<string, string>
}

/** The text that is sent, which stays the same for every attempt. */
export function bodyFor(
  { type, config, name, workspaceId, id }: Listening,
  view: EventView,
  publicUrl: string,
): string {
  switch (type) {
    case 'slack':
      return slack.bodyOf(view, { hasButtons: config.buttons === true })
    case 'discord':
      return discord.bodyOf(view)
    case 'teams':
      return teams.bodyOf(view)
    case 'mattermost':
      return mattermost.bodyOf(view)
    case 'email':
      return JSON.stringify(
        mailOf(view, { integrationName: name, settingsUrl: `${publicUrl}/w/${workspaceId}/integrations/${id}` }),
      )
    default:
      return JSON.stringify(config.payload === 'thin' ? thin(view) : full(view))
  }
}

function full({ type, timestamp, workspace, ...data }: EventView) {
  return { type, timestamp, data: { ...data, workspace: { id: workspace.id } } }
}

function thin({ type, timestamp, seq, workspace, target }: EventView) {
  return {
    type,
    timestamp,
    data: { seq, workspaceId: workspace.id, target: target && { object: target.object, id: target.id } },
  }
}

type Sending = Pick<JobContext, 'db' | 'fetch' | 'sendMail' | 'now'>

export async function deliver(ctx: Sending, target: Target, message: Message): Promise<Sent> {
  if (target.type === 'email') return await mail(ctx, target, message)
  const { config, secrets } = target
  const own = target.type === 'webhook' ? signatureHeaders(target, message, ctx.now()) : {}
  const headers = { ...plainHeaders(config), 'content-type': 'application/json', ...own }
  const { code, text, error } = await call(ctx.fetch, {
    url: String(target.type === 'webhook' ? config.url : secrets.webhookUrl),
    method: 'POST',
    headers,
    body: message.body,
    timeoutSeconds: typeof config.timeoutSeconds === 'number' ? config.timeoutSeconds : 15,
    secrets: Object.values(secrets),
  })
  return { isOk: error === null, code, responseBody: text, error, requestHeaders: headers }
}

function plainHeaders(config: Readonly<Record<string, unknown>>): Record<string, string> {
  return (config.headers ?? {}) as Record<string, string>
}

/** While a secret is being replaced, the old one signs too. */
function signatureHeaders({ secrets, oldSecretUntil }: Target, message: Message, now: Date): Record<string, string> {
  const isOldGood = oldSecretUntil !== null && new Date(oldSecretUntil) > now
  const signing = [secrets.secret, isOldGood ? secrets.previousSecret : undefined].filter(one => one !== undefined)
  return signedHeaders(signing, message)
}

export const nobody = 'None of the addresses is a verified one of a member any more.'

async function mail({ db, sendMail }: Sending, target: Target, { id, body }: Message): Promise<Sent> {
  const failed = (error: string): Sent => ({ isOk: false, code: null, responseBody: null, error, requestHeaders: {} })
  const to = await recipientsOf(db, target)
  if (to.length === 0) return failed(nobody)
  const told = JSON.parse(body) as { subject: string; text: string; html: string }
  try {
    for (const address of to) await sendMail({ ...told, to: address, id: `${id}-${digestOf(address)}` })
  } catch {
    return failed('The mail server did not take the mail.')
  }
  return { isOk: true, code: null, responseBody: null, error: null, requestHeaders: {} }
}

/** The same for the same address, whoever else is sent it; and nobody learns it from there. */
function digestOf(address: string): string {
  return hash('sha256', address.toLowerCase(), 'hex').slice(0, 16)
}

/** Whoever is a member with that verified address now. */
export function recipientsOf(
  db: Db,
  { workspaceId, config }: Pick<Target, 'workspaceId' | 'config'>,
): Promise<string[]> {
  return verifiedAmong(db, workspaceId, addressesIn(config))
}

function addressesIn(config: Readonly<Record<string, unknown>>): string[] {
  return Array.isArray(config.to) ? config.to.filter(one => typeof one === 'string') : []
}

/** What the form of a configuration cannot say. */
export async function refuseByType(
  { db }: Pick<Context & BeforeContext, 'db'>,
  workspaceId: string,
  type: IntegrationType,
  { config, secrets }: Parts,
): Promise<void> {
  if (type === 'email') await refuseStrangers(db, workspaceId, addressesIn(config))
  if (type === 'custom') refuseTemplates(config)
  if (type === 'inbound') {
    if ((config.format ?? 'generic') === 'generic' && config.mapping === undefined) {
      throw refused('config.mapping', 'required', 'present: it says what of a payload is the title of an issue')
    }
    if (config.mapping !== undefined) checkMapping(config.mapping as Parameters<typeof checkMapping>[0])
    const isSigned = (config.signature ?? 'none') !== 'none'
    if (isSigned && secrets.signingSecret === undefined) {
      throw refused('config.signingSecret', 'required', 'present: signatures cannot be checked without it')
    }
  }
  if (type === 'slack' && config.buttons === true && secrets.signingSecret === undefined) {
    throw refused('config.signingSecret', 'required', 'present: buttons cannot be told from forgeries without it')
  }
  if (type === 'github' && secrets.privateKey !== undefined && (!config.appId || !config.installationId)) {
    throw refused('config.appId', 'required', 'present, with installationId, beside the private key of an app')
  }
  if (type === 'github' && secrets.privateKey !== undefined && appKeyOf(secrets.privateKey) === null) {
    throw refused('config.privateKey', 'key', 'the RSA key that GitHub gave to the app, whole and without a passphrase')
  }
  if (type === 'mcp' && config.clientId === undefined && secrets.clientSecret !== undefined) {
    throw refused('config.clientId', 'required', 'present: the client secret is of a client')
  }
}

async function refuseStrangers(db: Db, workspaceId: string, addresses: readonly string[]): Promise<void> {
  const known = new Set((await verifiedAmong(db, workspaceId, addresses)).map(one => one.toLowerCase()))
  const index = addresses.findIndex(one => !known.has(one.toLowerCase()))
  if (index !== -1) throw refused(`config.to.${index}`, 'member', 'a verified address of a member of this workspace')
}
