// Clears away tokens and consents that have ended, and self-registered clients that nobody uses.
import { object } from '../../contract/records.ts'
import { type Jobs, job } from '../../kit/implement.ts'
import * as store from './store.ts'

const unusedDays = 7

export default {
  'oauth_clients.sweep': job({
    payload: object({}),
    schedule: '37 * * * *',
    run: ({ db, now }) => store.sweep(db, now(), new Date(now().getTime() - unusedDays * 86_400_000)),
  }),
} satisfies Jobs
