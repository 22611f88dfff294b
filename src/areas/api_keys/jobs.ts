// Sums up how many keys there are and tells people whose keys are about to end; secrets that have ended by themselves are cleared away.
import { object } from '../../contract/records.ts'
import type { Ages } from '../../kit/ages.ts'
import { type Jobs, job } from '../../kit/jobs.ts'
import { notify } from '../../kit/notify.ts'
import * as store from './store.ts'

const daysAhead = 7
const piece = 200

export default {
  'api_keys.sumUpCounts': job({
    payload: object({}),
    schedule: '* * * * *',
    ifChanged: ['api_keys'],
    due: () => [store.manyCounts],
    run: ({ db }) => store.sumUpCounts(db),
  }),

  'api_keys.tellExpiring': job({
    payload: object({}),
    schedule: '40 5 * * *',
    timeoutSeconds: 900,
    async run(ctx) {
      const [from, to] = [ctx.now(), new Date(ctx.now().getTime() + daysAhead * 86_400_000)]
      for (let after = ''; ; ) {
        const keys = await store.keysEnding(ctx.db, { from, to, days: daysAhead }, after, piece)
        for (const { id, workspaceId, ownerId, expires } of keys) {
          const target = { object: 'api_key', id }
          const facts = { day: expires.slice(0, 10) }
          // The same key is found every day until it ends, and told of once.
          await notify(ctx, { type: 'api_keys.expiring', to: ownerId, workspaceId, target, facts, once: expires })
        }
        if (keys.length < piece) return
        after = keys.at(-1)?.id ?? ''
      }
    },
  }),
} satisfies Jobs

export const ages: Ages = {
  api_key_secrets: { column: 'until' },
}
