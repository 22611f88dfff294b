// What is past its time: secrets whose overlap has ended, and days that nobody is shown any more.
import type { Ages } from '../../kit/ages.ts'
import type { Jobs } from '../../kit/jobs.ts'

export default {} satisfies Jobs

/** Of the days, thirty are shown as sums; the rest say when a token was used last. */
export const ages: Ages = {
  telemetry_token_secrets: { column: 'until' },
  telemetry_token_days: { column: 'day', afterDays: 400 },
  telemetry_token_hours: { column: 'hour', afterDays: 400 },
}
