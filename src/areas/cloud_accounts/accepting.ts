// What is sent about an account, as far as it fits together: its provider's fields, its addresses, its credentials.
import type { Static } from 'typebox'
import { forbidden, refused } from '../../contract/errors.ts'
import { type Access, type BeforeContext, type Caller, ForbiddenAddress } from '../../kit/context.ts'
import type { Db } from '../../kit/db.ts'
import { lockExisting, readable } from '../../kit/references.ts'
import { directory } from '../../operations.ts'
import type { Credentials, Provider } from './fields/contract.ts'
import { terms } from './providers/contract.ts'
import type { AccountRow, Config } from './store.ts'

export type Given = {
  provider: Provider
  config: Config
  credentials?: Static<typeof Credentials> | undefined
  externalId?: string | null | undefined
  regions?: readonly string[] | undefined
  syncIntervalMinutes?: number | null | undefined
}

/** 400 with the path of the first field that its provider does not take, or that does not go with another. */
export function refuseFields(given: Given): void {
  const { provider, config, credentials = {}, regions = [], externalId, syncIntervalMinutes } = given
  const { config: taken, secrets, hasRegions } = terms[provider]
  const left = `left out: accounts of the provider ${provider} have none`
  for (const name of namesIn(config)) {
    if (!(taken as readonly string[]).includes(name)) throw refused(`config.${name}`, 'provider', left)
  }
  for (const name of namesIn(credentials)) {
    if (!(secrets as readonly string[]).includes(name)) throw refused(`credentials.${name}`, 'provider', left)
  }
  if (regions.length > 0 && !hasRegions) throw refused('regions', 'provider', left)
  if (syncIntervalMinutes != null && isSent(provider, config)) {
    throw refused('syncIntervalMinutes', 'provider', 'null: what is pushed or uploaded is never read')
  }
  if (provider === 'aws') refuseAws(config, externalId ?? null, credentials)
  refusePairs(provider, config, credentials)
}

function namesIn(fields: object): string[] {
  return Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [name]))
}

/** Somebody sends it, and it is never read. */
export function isSent(provider: Provider, config: Config): boolean {
  return provider === 'push' || (provider === 'terraform_state' && config.repositoryId === undefined)
}

function refuseAws({ roleArn }: Config, externalId: string | null, { accessKeyId, secretAccessKey }: Sent): void {
  if (externalId !== null && !/^\d{12}$/.test(externalId)) {
    throw refused('externalId', 'pattern', 'the number of an AWS account: 12 digits')
  }
  const own = roleArn === undefined ? null : accountIn(roleArn)
  if (own !== null && externalId !== null && own !== externalId) {
    throw refused('config.roleArn', 'account', `a role of the account ${externalId}`)
  }
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined)) {
    const missing = accessKeyId === undefined ? 'accessKeyId' : 'secretAccessKey'
    throw refused(`credentials.${missing}`, 'required', 'sent together with the other of the two')
  }
}

type Sent = Static<typeof Credentials>

function refusePairs(provider: Provider, config: Config, credentials: Sent): void {
  const { kubeconfig, token, clientCert, clientKey } = credentials
  if ((clientCert === undefined) !== (clientKey === undefined)) {
    const missing = clientCert === undefined ? 'clientCert' : 'clientKey'
    throw refused(`credentials.${missing}`, 'required', 'sent together with the other of the two')
  }
  if (kubeconfig !== undefined && (config.server ?? config.ca ?? token ?? clientCert) !== undefined) {
    throw refused('credentials.kubeconfig', 'provider', 'left out beside a server, a token or a certificate')
  }
  if (provider === 'terraform_state' && config.repositoryId !== undefined && !config.path) {
    throw refused('config.path', 'required', 'the path of the state in the repository')
  }
  if (config.repositoryId === undefined && (config.path !== undefined || config.ref !== undefined)) {
    throw refused('config.repositoryId', 'required', 'sent together with "config.path" and "config.ref"')
  }
}

/** The number of the account that a role is of. */
export function accountIn(roleArn: string): string | null {
  return /^arn:[^:]+:iam::(\d{12}):/.exec(roleArn)?.[1] ?? null
}

/** Only owners and admins say that something may be written some day. */
export function refuseMode({ role }: Access, mode: AccountRow['mode'] | undefined): void {
  if (mode !== 'read_write' || role === 'owner' || role === 'admin') return
  throw forbidden('Only owners and admins set an account to read_write.', { reason: 'role' })
}

const references = [
  ['repositoryId', 'repository'],
  ['datasetId', 'dataset'],
] as const

/** 400 where the caller may not read what is named, or where there is no such record: nobody learns which. */
export async function refuseUnknownRecords(db: Db, caller: Caller, workspaceId: string, config: Config): Promise<void> {
  for (const [field, object] of references) {
    const id = config[field]
    if (id === undefined) continue
    const found = await readable(db, directory, caller, workspaceId, [{ object, id }])
    if (found.length === 0) throw unknownRecord(field, object)
  }
}

/** They stay until the transaction ends; before the account is locked, as whoever deletes them does. */
export async function hold(db: Db, workspaceId: string, config: Config): Promise<void> {
  for (const [field, object] of references) {
    const id = config[field]
    if (id === undefined) continue
    const there = await lockExisting(db, directory, workspaceId, object, [id])
    if (!there.has(id)) throw unknownRecord(field, object)
  }
}

function unknownRecord(field: string, object: string) {
  return refused(`config.${field}`, 'reference', `a ${object} of this workspace that you may read`)
}

const addressFields = ['server', 'endpoint', 'address', 'roleArn'] as const

/** Whom the credentials are sent to: another one must not get those that somebody else has put in. */
export function isElsewhere(before: Config, after: Config): boolean {
  return addressFields.some(name => before[name] !== after[name])
}

/** Addresses that may not be called are refused at once; what cannot be looked up now shows in the first sync. */
export async function refuseAddresses(ctx: Pick<BeforeContext, 'fetch'>, config: Config): Promise<void> {
  for (const name of ['server', 'endpoint', 'address'] as const) {
    const address = config[name]
    if (address === undefined) continue
    const socketPath = /^unix:\/\/(\/.*)$/.exec(address)?.[1]
    if (socketPath === undefined && !URL.canParse(address)) {
      throw refused(`config.${name}`, 'url', 'an address that begins with https://')
    }
    try {
      const options = { isRehearsal: true as const, timeoutMs: 5_000, ...(socketPath && { socketPath }) }
      await ctx.fetch(socketPath ? 'http://docker' : address, options)
    } catch (error) {
      if (!(error instanceof ForbiddenAddress)) continue
      throw refused(`config.${name}`, 'address', `one that may be called: ${error.message}`)
    }
  }
}
