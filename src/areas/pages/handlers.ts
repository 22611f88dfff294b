// Carries out the operations on pages.
import { ApiError, notFound } from '../../contract/errors.ts'
import type { Stream } from '../../contract/operation.ts'
import { permit } from '../../contract/permissions.ts'
import type { Caller } from '../../kit/context.ts'
import type { Db } from '../../kit/db.ts'
import { implement } from '../../kit/implement.ts'
import { found } from '../../kit/outcomes.ts'
import { reachOf } from '../../kit/owned.ts'
import { pageHeaders } from '../../kit/report_style.ts'
import { operations } from '../../operations.ts'
import * as workspaces from '../workspaces/store.ts'
import { pages } from './contract.ts'
import * as store from './store.ts'

export default implement(pages, {
  'pages.list': ({ db, settings }, { workspaceId, ...query }) =>
    store.pageOfPages(db, query, workspaceId, settings.publicUrl),

  'pages.get': ({ db, settings }, { workspaceId, id }) =>
    found(store.find(db, workspaceId, id, settings.publicUrl), 'page'),

  'pages.content': async ({ db, now }, { workspaceId, id, format = 'html' }) => {
    const page = await found(store.contentOf(db, id, format, now()), 'page')
    if (page.workspaceId !== workspaceId) throw notFound('page')
    return sent(page, format)
  },

  'pages.public': async ({ db, caller, now, enqueue }, { id, format = 'html' }) => {
    const page = await found(store.contentOf(db, id, format, now()), 'page')
    if (page.visibility !== 'link' && !(await isMember(db, caller, page.workspaceId))) throw notFound('page')
    const answer = sent(page, format)
    // By its number: a queue is no place for what opens the page.
    await enqueue('pages.viewed', { number: page.number })
    return answer
  },

  'pages.del': async ({ db, caller, access, settings, now, note }, { workspaceId, id }) => {
    const reach = reachOf(access, caller)
    const before = await found(store.find(db, workspaceId, id, settings.publicUrl, reach), 'page')
    if (!(await store.revoke(db, workspaceId, id, reach, caller.ownerId, now()))) throw over()
    // Not its id, which opens it.
    note({ before: { workspaceId, title: before.title, visibility: before.visibility, kind: before.kind } })
    return { workspaceId, id, _object: 'page' as const }
  },
})

const types = {
  html: 'text/html; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  json: 'application/json; charset=utf-8',
}

function sent({ isOver, workspaceStatus, content, sha256 }: store.Content, format: keyof typeof types): Stream {
  if (isOver || content === null || workspaceStatus !== 'active') throw over()
  const chunks = async function* () {
    yield content
  }
  return {
    contentType: types[format],
    headers: { ...pageHeaders, ...(format === 'html' && { etag: `"${sha256}"` }) },
    chunks: chunks(),
  }
}

function over(): ApiError {
  return new ApiError('gone', 'The page was revoked, or its time is over; ask who shared it to publish it again.')
}

/** As who reads it through the API would have to be, in that workspace, at this moment. */
async function isMember(db: Db, caller: Caller | null, workspaceId: string): Promise<boolean> {
  if (!caller?.userId) return false
  const standing = await workspaces.standingOf(db, workspaceId, caller.userId)
  if (!standing) return false
  const { role, scopes: ofMember, workspaceStatus } = standing
  const held = caller.scopes === null ? ofMember : caller.scopes.filter(scope => ofMember?.includes(scope) ?? true)
  return permit({ ...caller, workspaceId, role, workspaceStatus, scopes: held }, operations['pages.get']).allowed
}
