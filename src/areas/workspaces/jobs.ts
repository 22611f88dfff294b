// Work on workspaces that nobody waits for.
import { object } from '../../contract/records.ts'
import type { Ages } from '../../kit/ages.ts'
import { follow } from '../../kit/follow.ts'
import { type Jobs, job } from '../../kit/jobs.ts'
import * as auditLogs from '../audit_logs/store.ts'
import { finishClaims } from './claims/claiming.ts'
import { claimed, orphans, removeOrphans } from './claims/store.ts'
import { tellAll, tellOne } from './claims/telling.ts'
import { WorkspaceExportId } from './exports/contract.ts'
import { forget, pack } from './exports/packing_job.ts'
import { dueExports } from './exports/store.ts'
import * as store from './store.ts'

/** A workspace may hold much: a statement that ends many would outlast its time. */
const atOnce = 20
const orphansAtOnce = 500

/** Whoever proves an address may be somebody for whom an imported workspace waits. */
export const followers = [
  follow('workspaces.claims', 'auth.verifyEmail', tellOne),
  follow('workspaces.arrivals', 'workspaces.import', tellAll),
  follow('workspaces.returns', 'workspaces.restore', tellAll),
]

export const ages: Ages = {
  /** Limits look at a month, metering after a stop at 60 days. */
  workspace_deleted_usage: { column: 'hour', afterDays: 62 },
  /** Of processes that are gone: nobody is shown them after minutes. */
  workspace_imports: { column: 'updated', afterDays: 1 },
}

export default {
  /** Ends the workspaces whose time to be restored is over; everything under them goes along. */
  'workspaces.purge': job({
    payload: object({}),
    schedule: '17 * * * *',
    due: now => [store.due(now, 1), orphans(1)],
    async run({ db, now, transaction, record }) {
      const purge = () =>
        transaction(async tx => {
          const gone = await store.removeDue(tx, now(), atOnce)
          // The workspace's own ledger stays and gets its last entry.
          for (const id of gone.sort()) {
            // What an import left that was cut short never was one, and its id is free again.
            if (!(await auditLogs.findHead(tx, id))) continue
            await record(tx, { chain: id, action: 'workspaces.purged', target: { object: 'workspace', id } })
          }
          return gone.length
        })
      while ((await purge()) === atOnce);
      // People of workspaces that are gone, who never came.
      while ((await removeOrphans(db, orphansAtOnce)) === orphansAtOnce);
    },
  }),

  /** Long, but in short statements; one at a time, since it is work for the whole machine. */
  'workspaces.export': job({
    payload: object({ id: WorkspaceExportId }),
    timeoutSeconds: 6 * 3600,
    retries: 5,
    concurrency: 1,
    key: ({ id }) => id,
    run: (ctx, { id }) => pack(ctx, id),
  }),

  /** Scheduled as well, so that whatever cut it off, it comes to its end. */
  'workspaces.claim': job({
    payload: object({}),
    schedule: '27 * * * *',
    due: () => [claimed('')],
    timeoutSeconds: 6 * 3600,
    retries: 5,
    concurrency: 1,
    run: finishClaims,
  }),

  'workspaces.forgetExports': job({
    payload: object({}),
    schedule: '47 * * * *',
    due: now => [dueExports(now, 1)],
    run: forget,
  }),
} satisfies Jobs
