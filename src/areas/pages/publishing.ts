// What publishing means for every area: the workspace's rules, the id, the rendering. Nothing of it needs a transaction.
import { badRequest, conflict } from '../../contract/errors.ts'
import type { Db } from '../../kit/db.ts'
import { newId } from '../../kit/random.ts'
import type { Reference } from '../../kit/references.ts'
import { renderApart } from '../../kit/rendering.ts'
import type { Rendered, Report } from '../../kit/report.ts'
import * as workspaces from '../workspaces/store.ts'
import { PageId } from './contract.ts'
import type { PageRow } from './store.ts'

/** As the caller asked for it. */
export type Asked = { title?: string; visibility?: PageRow['visibility']; ttlDays?: number | null }

export type Prepared = {
  page: Pick<PageRow, 'id' | 'workspaceId' | 'kind' | 'visibility'> & {
    source: Reference | null
    ttlDays: number | null
  }
  rendered: Rendered
}

/** `source` is null where a page is made of no record, but of many figures. */
type Source = { workspaceId: string; kind: PageRow['kind']; source: Reference | null; report: Report }

/** Before the transaction: rendering may take a while. */
export async function preparePage(
  db: Db,
  { workspaceId, kind, source, report }: Source,
  { title = report.title, visibility = 'workspace', ttlDays = null }: Asked,
  at: Date,
): Promise<Prepared> {
  const { pages } = await workspaces.findSettings(db, workspaceId)
  if (visibility === 'link' && pages?.links === false) {
    throw conflict('This workspace publishes nothing by link; publish it for the workspace instead.', {
      state: 'links_off',
    })
  }
  const most = pages?.maxTtlDays ?? null
  if (most !== null && ttlDays !== null && ttlDays > most) {
    const expected = `at most ${most}, as this workspace has settled`
    throw badRequest(`"ttlDays" must be ${expected}.`, [{ path: 'ttlDays', rule: 'maximum', expected }])
  }
  const workspace = (await workspaces.find(db, workspaceId))?.name ?? ''
  const id = newId(PageId)
  const rendered = await renderApart({ ...report, title }, { pageId: id, kind, workspace, at })
  return { page: { id, workspaceId, kind, visibility, source, ttlDays: ttlDays ?? most }, rendered }
}
