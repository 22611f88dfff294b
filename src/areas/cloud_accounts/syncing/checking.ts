// Asks a provider which rights an account has: those that are there, those that are missing, and those too many.

import { findTarget } from '../../datasets/rows/writing.ts'
import type { Provider } from '../fields/contract.ts'
import { validateAws } from '../sources/aws/validating.ts'
import { validateDocker } from '../sources/docker/validate.ts'
import { extentOf } from '../sources/kubernetes/resources.ts'
import { validateKubernetes } from '../sources/kubernetes/validate.ts'
import { fileIn, readRepository } from '../sources/repository.ts'
import { UnreadableSource } from '../sources/unreadable.ts'
import type { Checked } from '../store.ts'
import { faultOf } from './faults.ts'
import {
  asking,
  awsAccess,
  awsAsking,
  dockerAccess,
  kubernetesAccess,
  placeOf,
  type ReadingContext,
  repositoryOf,
} from './reading.ts'
import type { Leased } from './store.ts'

type Told = { present: string[]; missing: string[]; tooMany: string[]; unknown?: string[]; accountId?: string }

/** Null where there are no rights that anybody could have too many of. */
type Checker = (ctx: ReadingContext, account: Leased) => Promise<Told | null>

const mostStateBytes = 32 * 1024 * 1024

const checkers: Readonly<Record<Provider, Checker>> = {
  push: async () => null,
  terraform_state: async (ctx, account) => {
    if (account.config.repositoryId !== undefined) await fileIn(repositoryOf(ctx), placeOf(account), mostStateBytes)
    return null
  },
  kubernetes: async (ctx, account) =>
    await validateKubernetes(await kubernetesAccess(ctx, account), { ...asking(ctx), ...extentOf(account.config) }),
  docker: (ctx, account) => validateDocker(dockerAccess(ctx, account), asking(ctx)),
  manifests: async (ctx, account) => {
    await readRepository(repositoryOf(ctx), placeOf(account))
    return null
  },
  aws: (ctx, account) => validateAws(awsAccess(ctx, account), { ...awsAsking(ctx), regions: account.regions }),
  telemetry: async ({ db }, { workspaceId, config }) => {
    const target = config.datasetId && (await findTarget(db, workspaceId, config.datasetId))
    if (!target) throw new UnreadableSource('failed', 'Name a dataset in "config.datasetId".')
    if (target.kind === 'traces') return null
    throw new UnreadableSource('malformed', `The dataset holds ${target.kind}; name one of the kind traces.`)
  },
}

/** What cannot be asked is told as its fault; a fault of our own is thrown. */
export async function checkAccount(ctx: ReadingContext, account: Leased): Promise<Checked> {
  try {
    const told = await checkers[account.provider](ctx, account)
    if (!told) return { rights: null, externalId: null, error: null }
    const { present, missing, tooMany, unknown = [], accountId = null } = told
    const rights = { present, missing, tooMany, unknown, checkedAt: ctx.now().toISOString() }
    return { rights, externalId: accountId, error: null }
  } catch (error) {
    const fault = faultOf(error)
    if (!fault) throw error
    return { rights: null, externalId: null, error: fault }
  }
}
