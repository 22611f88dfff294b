// Pages: reports that were rendered once, can be read by a link, and can be revoked, but not changed.
import { Type } from 'typebox'
import { id, OwnerId, WorkspaceId } from '../../contract/ids.ts'
import { list, page as pageOf } from '../../contract/list.ts'
import { area } from '../../contract/operation.ts'
import { choice, deleted, nullable, object, record, shown, timestamp } from '../../contract/records.ts'
import { RatingCounts } from '../ratings/contract.ts'

/** Who knows it can read the page, where it is published by link: it stands in no log. */
export const PageId = id('page', 40)

export const PageVisibility = choice(['link', 'workspace'], {
  description: 'link: everybody who has the address; workspace: members who are logged in.',
})
export const mostDays = 3_650
const title = Type.String({ minLength: 1, maxLength: 256, pattern: '\\S', 'x-hint': 'a text that is not only spaces' })

export const Page = record(
  'Page',
  {
    id: PageId,
    workspaceId: WorkspaceId,
    ownerId: OwnerId,
    kind: choice(['thread_report', 'issue_report', 'autofix_run', 'analytics_snapshot', 'digest']),
    title,
    source: nullable(object({ object: Type.String({ examples: ['issue'] }), id: Type.String() })),
    url: Type.String({ description: 'Where it can be read.' }),
    visibility: PageVisibility,
    sha256: Type.String({ description: 'Of the HTML, byte for byte; also its ETag.' }),
    bytes: shown(Type.Integer({ minimum: 0 }), { format: 'bytes' }),
    redactions: Type.Integer({ minimum: 0, description: 'Secrets and e-mail addresses that were taken out.' }),
    expiresAt: nullable(timestamp),
    views: Type.Integer({
      minimum: 0,
      description: 'How often it was read at its address; by whom is not written down.',
    }),
    lastViewedAt: nullable(timestamp),
    createdBy: nullable(OwnerId),
    deleted: nullable({ ...timestamp, description: 'When it was revoked.' }),
    deletedBy: nullable(OwnerId),
    rating: RatingCounts,
    created: timestamp,
    updated: timestamp,
    _object: choice(['page']),
  },
  { columns: ['title', 'kind', 'visibility', 'views', 'expiresAt', 'deleted', 'created'] },
)

/** What every operation that publishes takes. */
export const Publication = {
  title: Type.Optional(title),
  visibility: Type.Optional(PageVisibility),
  ttlDays: Type.Optional(
    nullable(Type.Integer({ minimum: 1, maximum: mostDays, description: 'After so many days it is gone.' })),
  ),
}

const format = Type.Optional(choice(['html', 'md', 'json'], { default: 'html' }))
const contents = ['text/html', 'text/markdown', 'application/json'] as const
const one = { workspaceId: WorkspaceId, id: PageId }

export const pages = area(
  'pages',
  {
    'pages.list': {
      summary: 'List the pages of a workspace',
      description: 'With those that were revoked or have expired, so that it stays known who shared what.',
      route: 'GET /v1/pages/{workspaceId}',
      words: 'published shared reports links snapshots',
      access: ['pages:read'],
      path: object({ workspaceId: WorkspaceId }),
      query: list({
        sort: ['created', 'updated', 'title', 'id'],
        filter: ['id', 'kind', 'visibility', 'ownerId', 'createdBy', 'source', 'title'],
        also: ['q', 'span'],
      }),
      result: pageOf(Page),
    },
    'pages.get': {
      summary: 'Show a page, who shared it and how often it was read',
      route: 'GET /v1/pages/{workspaceId}/{id}',
      words: 'published shared report link details views',
      access: ['pages:read'],
      path: object(one),
      result: Page,
      errors: ['not_found'],
    },
    'pages.content': {
      summary: 'Read what a page says, as HTML, Markdown or JSON',
      description: 'As it was rendered; this is not counted as a view.',
      route: 'GET /v1/pages/{workspaceId}/{id}/content',
      words: 'download report markdown',
      access: ['pages:read'],
      path: object(one),
      query: object({ format }),
      result: Type.String({ description: 'The page itself, not the envelope.' }),
      produces: contents,
      errors: ['not_found', 'gone'],
    },
    'pages.public': {
      summary: 'Read a page at its address',
      description:
        'Without a credential where it is published by link, otherwise as a member. Also at `/p/{id}`, for people.',
      route: 'GET /v1/public/pages/{id}',
      words: 'open shared link',
      access: 'public',
      path: object({ id: PageId }),
      query: object({ format }),
      result: Type.String({ description: 'The page itself, not the envelope.' }),
      produces: contents,
      errors: ['not_found', 'gone'],
    },
    'pages.del': {
      summary: 'Revoke a page',
      description: 'Its address answers 410 at once; what it said is erased after 30 days.',
      route: 'DELETE /v1/pages/{workspaceId}/{id}',
      past: 'revoked',
      words: 'unpublish unshare remove link withdraw',
      access: ['pages:delete'],
      reach: 'own',
      path: object(one),
      result: deleted('page', one),
      errors: ['not_found', 'gone'],
    },
  },
  {
    about: 'Reports that were published, and who can read them.',
    carries: {
      // What anybody could read by its address is for members again, until somebody publishes it here.
      pages: { stilled: { visibility: { link: 'workspace' } } },
      page_contents: {},
      page_sources: {},
      page_views: {},
    },
    records: {
      page: {
        id: PageId,
        table: 'pages',
        title: 'title',
        search: ['title'],
        hiddenFrom: 'hidden_from',
        owned: true,
        ratings: true,
      },
    },
    refers: {
      'pages.created_user_id': 'workspace_member',
      'pages.created_team_id': 'team',
      'pages.deleted_user_id': 'workspace_member',
      'pages.deleted_team_id': 'team',
    },
    attaches: { page_sources: 'any' },
  },
)
