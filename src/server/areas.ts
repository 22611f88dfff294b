// Finds what the areas do: handlers and jobs, by the name of an area's folder.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Operation } from '../contract/operation.ts'
import type { Ages } from '../kit/ages.ts'
import type { Follower } from '../kit/follow.ts'
import type { Gate } from '../kit/gate.ts'
import type { Implementation } from '../kit/implement.ts'
import type { Jobs } from '../kit/jobs.ts'
import { areas } from '../operations.ts'
import { type SealedPlaces, sealedPlaces } from './upkeep/rotation.ts'

/** Where the folders of areas are. */
export const areaFolders: readonly string[] = [join(import.meta.dirname, '../areas')]

/** An area's folder has the area's name; its handlers, jobs, followers, ages and gate are looked up there. */
export async function loadAreas(areasIn = areaFolders): Promise<{
  handlers: Implementation
  jobs: Jobs
  followers: readonly Follower[]
  ages: Ages
  gate: Gate
}> {
  const handlers: Implementation = {}
  const jobs: Jobs = {}
  const followers: Follower[] = []
  const ages: Ages = {}
  let gate: Gate | undefined
  const extension = import.meta.filename.endsWith('.ts') ? 'ts' : 'js'
  for (const { name } of areas) {
    const folder = areasIn.map(one => join(one, name)).find(existsSync) ?? name
    const { default: implementation } = await import(pathToFileURL(join(folder, `handlers.${extension}`)).href)
    Object.assign(handlers, implementation)
    const gateFile = join(folder, `gate.${extension}`)
    if (existsSync(gateFile)) gate = (await import(pathToFileURL(gateFile).href)).gate
    const jobFile = join(folder, `jobs.${extension}`)
    if (!existsSync(jobFile)) continue
    const work: { default: Jobs; followers?: readonly Follower[]; ages?: Ages } = await import(
      pathToFileURL(jobFile).href
    )
    Object.assign(jobs, work.default)
    followers.push(...(work.followers ?? []))
    Object.assign(ages, work.ages)
  }
  if (!gate) throw new Error('no area has a gate for the calls of agents')
  return { handlers, jobs, followers, ages, gate }
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
