// Clears away self-registered clients that nobody uses; tokens and consents that have ended go by themselves.
import { object } from '../../contract/records.ts'
import type { Ages } from '../../kit/ages.ts'
import { type Jobs, job } from '../../kit/jobs.ts'
import * as store from './store.ts'

const unusedBefore = (now: Date) => new Date(now.getTime() - 7 * 86_400_000)

export default {
  'oauth_clients.sweep': job({
    payload: object({}),
    schedule: '37 * * * *',
    due: now => [store.unused(unusedBefore(now))],
    run: ({ db, now }) => store.removeUnused(db, unusedBefore(now())),
  }),
} satisfies Jobs

export const ages: Ages = {
  oauth_objects: { column: 'expires' },
  oauth_grants: { column: 'expires_at' },
}
