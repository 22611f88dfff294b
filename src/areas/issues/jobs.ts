// What happens by itself: labels from elsewhere and outcomes of investigations show in timelines; alerts go after a week, and what rules matched later.
import type { Ages } from '../../kit/ages.ts'
import { type Follower, follow } from '../../kit/follow.ts'
import type { Jobs } from '../../kit/jobs.ts'
import { tellConcluded } from './timeline/concluded.ts'
import { tellLabelled } from './timeline/labelled.ts'

export default {} satisfies Jobs

export const followers: readonly Follower[] = [
  follow('issues.labelled', 'labels.apply', tellLabelled),
  follow('issues.concluded', 'threads.patch', tellConcluded),
]

export const ages: Ages = {
  issue_alerts: { column: 'received', afterDays: 7 },
  issue_rule_matches: { column: 'hour', afterDays: 31 },
}
