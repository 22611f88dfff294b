// Work on workspaces that nobody waits for.
import { object } from '../../contract/records.ts'
import { type Jobs, job } from '../../kit/jobs.ts'
import * as store from './store.ts'

/** A workspace may hold much: a statement that ends many would outlast its time. */
const atOnce = 20

export default {
  /** Ends the workspaces whose time to be restored is over; everything under them goes along. */
  'workspaces.purge': job({
    payload: object({}),
    schedule: '17 * * * *',
    async run({ now, transaction, record }) {
      const purge = () =>
        transaction(async tx => {
          const gone = await store.removeDue(tx, now(), atOnce)
          // The workspace's own ledger stays and gets its last entry.
          for (const id of gone.sort()) {
            await record(tx, { chain: id, action: 'workspaces.purged', target: { object: 'workspace', id } })
          }
          return gone.length
        })
      while ((await purge()) === atOnce);
    },
  }),
} satisfies Jobs
