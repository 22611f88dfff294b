// Carries out the operations on rules over alerts.
import { ApiError, badRequest, conflict } from '../../../contract/errors.ts'
import type { Db } from '../../../kit/db.ts'
import { isUnchanged } from '../../../kit/etag.ts'
import { implement, staged } from '../../../kit/implement.ts'
import { found, patched } from '../../../kit/outcomes.ts'
import { reachOf } from '../../../kit/owned.ts'
import { newId } from '../../../kit/random.ts'
import { lockExisting } from '../../../kit/references.ts'
import { directory } from '../../../operations.ts'
import { enter } from '../../workspaces/entering/store.ts'
import { IssueRuleId } from '../fields/contract.ts'
import { refuseStrangers } from '../people.ts'
import { lockCounter } from '../store.ts'
import { peopleOf } from '../timeline/store.ts'
import { type RuleActions, type RuleActionsGiven, rules } from './contract.ts'
import { budget, pause, type Rule, refuseImpossible } from './evaluation.ts'
import * as store from './store.ts'
import { sumUp, type Tried, tryOn } from './trial.ts'

const mostRules = 200
const triedMs = 7 * 86_400_000
/** Of very many alerts the newest are tried: more would keep everybody else waiting. */
const mostTried = 20_000
const piece = 200

const noActions: RuleActions = {
  fingerprint: null,
  correlate: null,
  severity: null,
  assigneeId: null,
  addLabels: [],
  suppress: false,
  threshold: null,
}

export default implement(rules, {
  'issues.rules.list': ({ db, now }, { workspaceId, ...query }) => store.pageOfRules(db, query, workspaceId, now()),

  'issues.rules.get': ({ db, now }, { workspaceId, id }) => existing(store.find(db, workspaceId, id, now())),

  'issues.rules.post': async ({ db, caller, now }, { workspaceId, when, name, actions, ...rest }) => {
    refuseImpossible({ when, actions })
    const { enabled = true } = rest
    await enter(db, caller, workspaceId)
    const fields = await checkedActions(db, workspaceId, noActions, actions)
    await lockCounter(db, workspaceId)
    const { count, last } = await store.count(db, workspaceId)
    if (count >= mostRules) throw conflict(`A workspace has at most ${mostRules} rules; delete one that is not needed.`)
    const id = newId(IssueRuleId)
    const position = rest.position ?? last + 1
    await store.makeRoom(db, workspaceId, position, id)
    const rule = { id, workspaceId, ownerId: caller.ownerId, name, enabled, position, when }
    await store.insert(db, rule, now())
    await store.update(db, id, fields, now())
    return await existing(store.find(db, workspaceId, id, now()))
  },

  'issues.rules.patch': async ({ db, caller, now, note, origin }, { workspaceId, id, actions, ...fields }) => {
    refuseImpossible({ ...fields, ...(actions && { actions }) })
    await enter(db, caller, workspaceId)
    await refuseStrangers(db, workspaceId, actions ?? {}, 'actions.assigneeId')
    if (fields.position !== undefined) await lockCounter(db, workspaceId)
    await store.lock(db, workspaceId, id)
    const before = await existing(store.find(db, workspaceId, id, now()))
    if (!isUnchanged(origin.ifMatch, before)) {
      throw conflict('The rule has changed since you read it; read it again.', { updated: before.updated })
    }
    return await patched(note, before, { ...fields, actions }, async () => {
      const acting = actions ? await checkedActions(db, workspaceId, before.actions, actions) : {}
      if (fields.position !== undefined) await store.makeRoom(db, workspaceId, fields.position, id)
      await store.update(db, id, { ...fields, ...acting }, now())
      return await existing(store.find(db, workspaceId, id, now()))
    })
  },

  // Outside any transaction: on the embedded engine nobody else could write meanwhile.
  'issues.rules.test': staged(
    async ({ db, now }, { workspaceId, rule, ruleId }) => {
      if ((rule === undefined) === (ruleId === undefined)) throw badRequest('Give either "rule" or "ruleId".')
      if (rule) refuseImpossible(rule)
      const tried = rule ? given(rule) : await existing(store.find(db, workspaceId, ruleId ?? '', now()))
      const [from, to] = [new Date(now().getTime() - triedMs), now()]
      const tested = await testOn(db, workspaceId, tried, from)
      return { from: from.toISOString(), to: to.toISOString(), ...tested }
    },
    async (_, __, result) => result,
  ),

  'issues.rules.del': async ({ db, caller, access, now, note }, { workspaceId, id }) => {
    const reach = reachOf(access, caller)
    await enter(db, caller, workspaceId)
    await store.lock(db, workspaceId, id)
    note({ before: await existing(store.find(db, workspaceId, id, now(), reach)) })
    await store.remove(db, workspaceId, id, reach)
    return { workspaceId, id, _object: 'issue_rule' as const }
  },
})

/** Piece by piece, so that nobody else waits; where the time is up, what was tried so far is told. */
async function testOn(db: Db, workspaceId: string, rule: Rule, from: Date) {
  const [matched, errors]: [Tried[], string[]] = [[], []]
  const time = budget()
  let scanned = 0
  let last: store.KeptAlert | undefined
  let isMore = true
  while (isMore && scanned < mostTried && time.leftMs > 0) {
    const next = await store.alertsSince(db, workspaceId, from, last, piece)
    try {
      matched.push(...tryOn(rule, next, time, errors))
    } catch (error) {
      if (!(error instanceof ApiError && error.kind === 'conflict')) throw error
      break
    }
    scanned += next.length
    last = next.at(-1)
    isMore = next.length === piece
    await pause()
  }
  return { ...sumUp(rule, scanned, matched, errors), partial: isMore }
}

function existing(reading: Promise<store.RuleRow | undefined>): Promise<store.RuleRow> {
  return found(reading, 'rule')
}

function given({ when, actions }: { when: string; actions?: RuleActionsGiven }): Rule {
  return { id: 'tried', when, actions: whole(noActions, actions ?? {}) }
}

function whole(before: RuleActions, given: RuleActionsGiven): RuleActions {
  const said = Object.entries(given).filter(([, value]) => value !== undefined)
  return { ...before, ...Object.fromEntries(said) }
}

/** The columns of the actions that are sent; people and labels that they name are of the workspace and stay. */
async function checkedActions(
  db: Db,
  workspaceId: string,
  before: RuleActions,
  given: RuleActionsGiven,
): Promise<store.RuleFields> {
  await refuseStrangers(db, workspaceId, given, 'actions.assigneeId')
  await refuseStrangeLabels(db, workspaceId, given.addLabels ?? [])
  const { fingerprint, correlate, severity, assigneeId, addLabels, suppress, threshold } = whole(before, given)
  const isIdle =
    !fingerprint && !correlate && !severity && !assigneeId && addLabels.length === 0 && !suppress && !threshold
  if (isIdle) {
    const expected = 'at least one action'
    throw badRequest('A rule without any action would do nothing; give it one.', [
      { path: 'actions', rule: 'required', expected },
    ])
  }
  const { userId, teamId } = peopleOf(assigneeId)
  return {
    fingerprint,
    correlate,
    severity,
    assigneeUserId: userId,
    assigneeTeamId: teamId,
    addLabels: [...new Set(addLabels)],
    suppress,
    thresholdCount: threshold?.count ?? null,
    thresholdSeconds: threshold?.windowSeconds ?? null,
  }
}

async function refuseStrangeLabels(db: Db, workspaceId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const known = await lockExisting(db, directory, workspaceId, 'label', ids)
  const place = ids.findIndex(id => !known.has(id))
  if (place === -1) return
  const path = `actions.addLabels.${place}`
  const expected = 'a label of this workspace'
  throw badRequest(`"${path}" must be ${expected}; "${ids[place]}" is none.`, [{ path, rule: 'reference', expected }])
}
