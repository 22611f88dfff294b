// Reads an account by the reader of its provider, with its secrets open for as long as that takes.
import type { BeforeContext, Context } from '../../../kit/context.ts'
import type { WriteAccess } from '../../../kit/gather.ts'
import { withRandom } from '../../../kit/random.ts'
import { openValues } from '../../../kit/sealed.ts'
import { type Provider, secretsColumn } from '../fields/contract.ts'
import type { Found } from '../found/contract.ts'
import type { AwsAccess } from '../sources/aws/credentials.ts'
import { readAws } from '../sources/aws/reading.ts'
import type { DockerAccess } from '../sources/docker/access.ts'
import { readDocker } from '../sources/docker/reading.ts'
import type { KubernetesAccess } from '../sources/kubernetes/access.ts'
import { readKubeconfig } from '../sources/kubernetes/kubeconfig.ts'
import { readKubernetes } from '../sources/kubernetes/reading.ts'
import { extentOf } from '../sources/kubernetes/resources.ts'
import { fileIn, readRepository } from '../sources/repository.ts'
import { readTraces } from '../sources/telemetry.ts'
import { readTerraformState } from '../sources/terraform/reading.ts'
import { UnreadableSource } from '../sources/unreadable.ts'
import type { Leased } from './store.ts'

export type ReadingContext = Pick<Context, 'db' | 'settings' | 'now' | 'log'> &
  Pick<BeforeContext, 'fetch' | 'git' | 'clickhouse'> &
  Partial<WriteAccess> & { id: string; signal: AbortSignal }

export type Read = { found: Found; complete: boolean }

const mostStateBytes = 32 * 1024 * 1024

type Reader = (ctx: ReadingContext, account: Leased) => Promise<Read>

const whole = async (reading: Promise<Found>): Promise<Read> => ({ found: await reading, complete: true })

const readers: Readonly<Record<Provider, Reader>> = {
  push: () => Promise.reject(new UnreadableSource('failed', 'It is sent by others, and not read.')),
  terraform_state: async (ctx, account) => {
    const bytes = await fileIn(repositoryOf(ctx), placeOf(account), mostStateBytes)
    return { found: readTerraformState(bytes.toString('utf8')), complete: true }
  },
  kubernetes: async (ctx, account) =>
    whole(readKubernetes(await kubernetesAccess(ctx, account), { ...asking(ctx), ...extentOf(account.config) })),
  docker: (ctx, account) => whole(readDocker(dockerAccess(ctx, account), asking(ctx))),
  manifests: (ctx, account) => whole(readRepository(repositoryOf(ctx), placeOf(account))),
  aws: (ctx, account) => whole(readAws(awsAccess(ctx, account), { ...awsAsking(ctx), regions: account.regions })),
  telemetry: (ctx, { workspaceId, config, lastSyncAt }) => {
    const { datasetId } = config
    if (datasetId === undefined) throw new UnreadableSource('failed', 'Name a dataset in "config.datasetId".')
    return readTraces(ctx, { workspaceId, datasetId, lastSyncAt })
  },
}

export function readAccount(ctx: ReadingContext, account: Leased): Promise<Read> {
  return readers[account.provider](ctx, account)
}

export function repositoryOf(ctx: ReadingContext) {
  return { ...ctx, origin: { requestId: ctx.id, ifNoneMatch: null } }
}

export function placeOf({ workspaceId, config }: Leased) {
  const { repositoryId, path, ref } = config
  if (repositoryId === undefined) throw new UnreadableSource('failed', 'Name a repository in "config.repositoryId".')
  return { workspaceId, repositoryId, ...(path !== undefined && { path }), ...(ref !== undefined && { ref }) }
}

const wait = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms))

export function asking({ fetch, signal }: ReadingContext) {
  return { fetch, wait, signal }
}

const random = () => withRandom(4, bytes => bytes.readUInt32BE(0) / 2 ** 32)

export function awsAsking(ctx: ReadingContext) {
  const { now, signal } = ctx
  const fetch: typeof ctx.fetch = (url, options = {}) =>
    ctx.fetch(url, { ...options, signal: options.signal ? AbortSignal.any([options.signal, signal]) : signal })
  return { fetch, now, wait, random }
}

export function secretsOf({ settings }: ReadingContext, { id, secrets }: Leased): Record<string, string> {
  return openValues(settings, secretsColumn, id, secrets)
}

export async function kubernetesAccess(ctx: ReadingContext, account: Leased): Promise<KubernetesAccess> {
  const { kubeconfig, token, clientCert: cert, clientKey: key } = secretsOf(ctx, account)
  if (kubeconfig !== undefined) return await readKubeconfig(kubeconfig)
  const { server, ca } = account.config
  if (server === undefined) throw new UnreadableSource('failed', 'Name the server in "config.server".')
  return { server, ...(ca && { ca }), ...(token && { token }), ...(cert && { cert }), ...(key && { key }) }
}

export function dockerAccess(ctx: ReadingContext, account: Leased): DockerAccess {
  const { clientCert: cert, clientKey: key } = secretsOf(ctx, account)
  const { address, ca } = account.config
  if (address === undefined) throw new UnreadableSource('failed', 'Name the engine in "config.address".')
  return { address, ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) }
}

export function awsAccess(ctx: ReadingContext, account: Leased): AwsAccess {
  const { accessKeyId, secretAccessKey, sessionToken } = secretsOf(ctx, account)
  if (!accessKeyId || !secretAccessKey) {
    throw new UnreadableSource('auth', 'Send accessKeyId and secretAccessKey in "credentials".')
  }
  const { roleArn = null, endpoint = null } = account.config
  return {
    accessKeyId,
    secretAccessKey,
    ...(sessionToken && { sessionToken }),
    accountId: account.externalId,
    roleArn,
    externalId: roleArn === null ? null : account.trustExternalId,
    endpoint,
  }
}
