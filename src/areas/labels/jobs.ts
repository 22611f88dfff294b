// Words that no longer lead to a label go when their time is over.
import type { Ages } from '../../kit/ages.ts'
import type { Jobs } from '../../kit/jobs.ts'

export default {} satisfies Jobs

export const ages: Ages = { label_redirects: { column: 'expires_at' } }
