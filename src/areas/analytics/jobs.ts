// What happens by itself: the ledger is counted as it grows, and requests. An operator can have the ledger counted again.
import type { Ages } from '../../kit/ages.ts'
import { type Follower, followTogether } from '../../kit/follow.ts'
import type { Jobs } from '../../kit/jobs.ts'
import { onEntries } from './following/following.ts'

export { rebuild } from './rebuilding.ts'
export { keepRequests } from './requests/store.ts'

export const ages: Ages = { analytics_requests: { column: 'hour', afterDays: 90 } }

/** Counting fifty entries takes as many statements as counting one, and every write makes an entry. */
const gatherMs = 500

/** From the start: a workspace that is older than its figures has them all the same. */
export const followers: readonly Follower[] = [
  followTogether('analytics.counts', '*', onEntries, { from: 'start', gatherMs }),
]

export default {} satisfies Jobs
