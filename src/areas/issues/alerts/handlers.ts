// Carries out the operations on alerts.
import { implement, staged } from '../../../kit/implement.ts'
import { found } from '../../../kit/outcomes.ts'
import { enter } from '../../workspaces/entering/store.ts'
import { tellAssigned } from '../people.ts'
import * as issues from '../store.ts'
import { alertActions, alerts } from './contract.ts'
import { judgeAll, newsOf, receive } from './receiving.ts'
import * as store from './store.ts'

export default implement(alerts, {
  'issues.alerts.post': staged(
    ({ db, now }, { workspaceId, alerts: given }) => judgeAll(db, workspaceId, given, now()),
    async (ctx, { workspaceId }, judged) => {
      const { db, caller, note } = ctx
      await enter(db, caller, workspaceId)
      const { items, raised, assigned } = await receive(ctx, workspaceId, judged)
      for (const { issueId, assigneeId } of assigned) await tellAssigned(ctx, workspaceId, issueId, assigneeId)
      const count = (action: string) => items.filter(item => item.action === action).length
      const counts = Object.fromEntries(alertActions.map(action => [action, count(action)]))
      // The ledger keeps how many, not their text: that is kept for a week.
      note({ after: counts, also: newsOf({ items, raised }).map(news => ({ workspaceId, ...news })) })
      return { items, ...(counts as Record<(typeof alertActions)[number], number>) }
    },
  ),

  'issues.alerts.list': async ({ db }, { workspaceId, id, ...query }) => {
    await found(issues.find(db, workspaceId, id), 'issue')
    return await store.pageOfAlerts(db, query, workspaceId, id)
  },
})
