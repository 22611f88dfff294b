// Finds what the areas do: handlers and jobs, by the name of an area's folder.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Operation } from '../contract/operation.ts'
import type { Ages } from '../kit/ages.ts'
import type { Carrier } from '../kit/carrying.ts'
import type { Database } from '../kit/db.ts'
import type { Follower } from '../kit/follow.ts'
import type { Gate } from '../kit/gate.ts'
import type { Implementation } from '../kit/implement.ts'
import type { Jobs } from '../kit/jobs.ts'
import type { LimitGuard } from '../kit/plans.ts'
import type { KeepRequests } from '../kit/requests.ts'
import { areas } from '../operations.ts'
import { type SealedPlaces, sealedPlaces } from './upkeep/rotation.ts'

/** Where the folders of areas are. */
export const areaFolders: readonly string[] = [join(import.meta.dirname, '../areas')]

/** Makes anew what an area has made of the ledger; tells of each workspace. */
export type Rebuild = (
  database: Database,
  tell: (line: { workspaceId: string; entries: number; isPruned: boolean }) => void,
) => Promise<void>

/** What an area's `jobs.ts` exports. */
type Work = {
  default: Jobs
  followers?: readonly Follower[]
  ages?: Ages
  rebuild?: Rebuild
  keepRequests?: KeepRequests
}

/** An area's folder has the area's name: its handlers, jobs, gate, limits and carrier are looked up there. */
export async function loadAreas(areasIn = areaFolders): Promise<{
  handlers: Implementation
  jobs: Jobs
  followers: readonly Follower[]
  ages: Ages
  gate: Gate
  rebuilds: Readonly<Record<string, Rebuild>>
  keepRequests: KeepRequests
  carriers: readonly Carrier[]
  limits: LimitGuard
}> {
  const handlers: Implementation = {}
  const jobs: Jobs = {}
  const followers: Follower[] = []
  const ages: Ages = {}
  const rebuilds: Record<string, Rebuild> = {}
  const carriers: Carrier[] = []
  let gate: Gate | undefined
  let keepRequests: KeepRequests | undefined
  let limits: LimitGuard | undefined
  const extension = import.meta.filename.endsWith('.ts') ? 'ts' : 'js'
  for (const { name } of areas) {
    const folder = areasIn.map(one => join(one, name)).find(existsSync) ?? name
    const { default: implementation } = await import(pathToFileURL(join(folder, `handlers.${extension}`)).href)
    Object.assign(handlers, implementation)
    const gateFile = join(folder, `gate.${extension}`)
    if (existsSync(gateFile)) gate = (await import(pathToFileURL(gateFile).href)).gate
    const carriedFile = join(folder, `carried.${extension}`)
    if (existsSync(carriedFile)) carriers.push((await import(pathToFileURL(carriedFile).href)).carrier)
    const limitFile = join(folder, `limits.${extension}`)
    if (existsSync(limitFile)) limits = (await import(pathToFileURL(limitFile).href)).limits
    const jobFile = join(folder, `jobs.${extension}`)
    if (!existsSync(jobFile)) continue
    const work: Work = await import(pathToFileURL(jobFile).href)
    Object.assign(jobs, work.default)
    followers.push(...(work.followers ?? []))
    Object.assign(ages, work.ages)
    if (work.rebuild) rebuilds[name] = work.rebuild
    keepRequests ??= work.keepRequests
  }
  if (!gate) throw new Error('no area has a gate for the calls of agents')
  if (!keepRequests) throw new Error('no area keeps counts of requests')
  if (!limits) throw new Error('no area says what plans limit')
  return { handlers, jobs, followers, ages, gate, rebuilds, keepRequests, carriers, limits }
}

/** Everything in the database that a new secret key must seal again. */
export async function declaredPlaces(): Promise<SealedPlaces> {
  const { jobs } = await loadAreas()
  return sealedPlaces(
    areas.flatMap(({ operations }) => Object.values<Operation>(operations)),
    jobs,
    areas.flatMap(({ seals }) => seals),
  )
}
