// Views are counted after the answer; what a page said goes 30 days after it ended.
import { Type } from 'typebox'
import { object } from '../../contract/records.ts'
import type { Ages } from '../../kit/ages.ts'
import { type Jobs, job } from '../../kit/jobs.ts'
import { countView } from './store.ts'

export default {
  'pages.viewed': job({
    payload: object({ number: Type.Integer() }),
    run: ({ db, now }, { number }) => countView(db, number, now()),
  }),
} satisfies Jobs

export const ages: Ages = { page_contents: { column: 'purge_at' } }
