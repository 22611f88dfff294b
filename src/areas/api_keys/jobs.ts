// Clears away secrets and run tokens that have ended by themselves, and sums up how many keys there are.
import { object } from '../../contract/records.ts'
import { type Jobs, job } from '../../kit/implement.ts'
import * as store from './store.ts'

export default {
  'api_keys.sweep': job({
    payload: object({}),
    schedule: '27 * * * *',
    run: ({ db, now }) => store.sweepSecrets(db, now()),
  }),
  'api_keys.sumUpCounts': job({
    payload: object({}),
    schedule: '* * * * *',
    run: ({ db }) => store.sumUpCounts(db),
  }),
} satisfies Jobs
