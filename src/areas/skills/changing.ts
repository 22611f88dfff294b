// What every change of a skill does: hold it, write the next version, tell the ledger and whoever lists prompts.
import { notFound } from '../../contract/errors.ts'
import type { Caller, Context } from '../../kit/context.ts'
import { found, unique } from '../../kit/outcomes.ts'
import type { Reach } from '../../kit/owned.ts'
import { enter } from '../workspaces/entering/store.ts'
import { acceptedText } from './format/accepting.ts'
import { told } from './format/showing.ts'
import * as store from './store.ts'

export type Changing = Pick<Context, 'db' | 'now' | 'note' | 'feed'> & { caller: Caller }

/** Held until the transaction ends; 404 where it is not there, or not within reach. */
export async function held({ db, caller }: Changing, workspaceId: string, id: string, reach: Reach = null) {
  await enter(db, caller, workspaceId)
  await store.lock(db, workspaceId, id, reach)
  return await existing(db, workspaceId, id, reach)
}

export function existing(db: Context['db'], workspaceId: string, id: string, reach: Reach = null) {
  return found(store.find(db, workspaceId, id, reach), 'skill')
}

/** What is disabled no agent uses; people can still look at it and try it. */
export function refuseDisabled({ callerKind }: Caller, { enabled }: Pick<store.SkillRow, 'enabled'>): void {
  if (callerKind !== null && !enabled) throw notFound('skill')
}

type Next = Partial<Pick<store.State, 'markdown' | 'text' | 'parametersSchema' | 'files'>>

/** What is not given stays as it is. */
export async function writeNext({ db, caller, now }: Changing, before: store.SkillRow, next: Next): Promise<void> {
  const { workspaceId, markdown } = before
  const text = next.text ?? (await acceptedText(next.markdown ?? markdown))
  const state = { ...before, ...next, text, version: before.version + 1 }
  await named(text.name, store.write(db, workspaceId, [state], caller, now()))
}

/** 409 where another skill of the workspace has the name. */
export function named<T>(slug: string, writing: Promise<T>): Promise<T> {
  return unique(writing, 'skills__slug', `Another skill is named "${slug}"; choose another name, or change that one.`)
}

/** The skill as it is now, after the ledger was told what became of it; `about` where only a part of it is told. */
export async function noted(
  ctx: Changing,
  before: store.SkillRow,
  about?: { before: object; after?: object },
): Promise<store.SkillRow> {
  const after = await existing(ctx.db, before.workspaceId, before.id)
  ctx.note({ target: { object: 'skill', id: before.id }, ...(about ?? { before: told(before), after: told(after) }) })
  if (before.enabled || after.enabled) announce(ctx, after)
  return after
}

/** Who has a list of prompts and resources hears that it is old. */
export function announce(
  { feed }: Pick<Context, 'feed'>,
  { workspaceId, id }: { workspaceId: string; id: string },
): void {
  feed.tell(workspaceId, { action: 'skills.changed', target: { object: 'skill', id }, data: null })
}
