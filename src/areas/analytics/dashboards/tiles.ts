// Whose tiles are shown, and whether they can be asked for.
import { ApiError, type Issue } from '../../../contract/errors.ts'
import type { Role } from '../../../contract/permissions.ts'
import type { Db } from '../../../kit/db.ts'
import { dayMs } from '../../../kit/time_zones.ts'
import { type Asked, planOf } from '../querying/planning.ts'
import type { lasts } from './contract.ts'
import * as store from './store.ts'
import { usualTiles } from './usual.ts'

export type Tile = Omit<Asked, 'from' | 'to'> & {
  title?: string
  show: 'figure' | 'line' | 'bars' | 'table'
  last: (typeof lasts)[number]
}

export type Shown = { role: Role; source: 'own' | 'workspace' | 'usual'; tiles: readonly Tile[] }

export async function ofRole(db: Db, workspaceId: string, role: Role): Promise<Shown> {
  const tiles = await store.tilesOfRole(db, workspaceId, role)
  return tiles ? { role, source: 'workspace', tiles } : { role, source: 'usual', tiles: usualTiles[role] }
}

/** Of a credential that nobody in person stands behind, those of its role. */
export async function ofUser(db: Db, workspaceId: string, userId: string | null, role: Role): Promise<Shown> {
  const tiles = userId === null ? null : await store.tilesOfUser(db, workspaceId, userId)
  return tiles ? { role, source: 'own', tiles } : await ofRole(db, workspaceId, role)
}

/** 400 where a tile asks for what there is not, as the query itself would say it. */
export function refuseBadTiles(tiles: readonly Tile[], now: Date): void {
  for (const [index, { title: _, show: __, last, ...asked }] of tiles.entries()) {
    const from = new Date(now.getTime() - Number.parseInt(last, 10) * dayMs).toISOString()
    try {
      planOf({ ...asked, from, to: now.toISOString() })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const { issues = [], ...rest } = (error.metadata ?? {}) as { issues?: Issue[] }
      const there = issues.map(issue => ({ ...issue, path: `tiles.${index}.${issue.path}` }))
      throw new ApiError('bad_request', error.detail, { ...rest, issues: there })
    }
  }
}
