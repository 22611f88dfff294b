// Retention: entries past their time are removed behind a signed checkpoint.
import { object } from '../../contract/records.ts'
import { type Jobs, job } from '../../kit/jobs.ts'
import { checkLedger } from '../../kit/ledger_check.ts'
import * as store from './store.ts'

const defaultDays = 400

export default {
  'audit_logs.prune': job({
    payload: object({}),
    schedule: '37 3 * * *',
    async run({ db, now, settings, transaction, record, log }) {
      for (const { chain, seq, hash } of await store.overdue(db, now(), defaultDays)) {
        const signature = settings.signLedger('checkpoint', chain, seq, hash)
        const target = { object: 'audit_log', id: `${chain}:${seq}` }
        // What was tampered with must not disappear behind a signature.
        const { broken } = await checkLedger(db, settings.signLedger, chain, { toSeq: seq })
        if (broken) {
          log.error({ chain, ...broken }, 'a ledger was tampered with and is not pruned; see docs/operating.md')
          continue
        }
        const pruning = transaction(async tx => {
          await store.prune(tx, chain, { seq, hash }, signature, now())
          await record(tx, { chain, action: 'audit_logs.pruned', target })
        })
        // A chain that somebody has tampered with must not keep the others from being pruned.
        await pruning.catch(error => log.error({ err: error, chain }, 'a ledger could not be pruned'))
      }
    },
  }),
} satisfies Jobs
