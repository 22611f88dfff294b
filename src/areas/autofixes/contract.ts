// Autofixes: proposed changes of code as real patches, checked by git and approved by people.
import { Type } from 'typebox'
import { WorkspaceId } from '../../contract/ids.ts'
import { list, page } from '../../contract/list.ts'
import { area } from '../../contract/operation.ts'
import { choice, deleted, nullable, object } from '../../contract/records.ts'
import { agentCallers } from '../../contract/scopes.ts'
import { IssueId } from '../issues/fields/contract.ts'
import { LabelIds } from '../labels/contract.ts'
import { Page, Publication } from '../pages/contract.ts'
import { RepositoryId } from '../repositories/fields/contract.ts'
import { ThreadId } from '../threads/fields/contract.ts'
import {
  Autofix,
  AutofixId,
  autofix,
  baseRef,
  baseSha,
  description,
  patch,
  patchSha256,
  rejectReasons,
  title,
} from './fields/contract.ts'

/** A patch of 1 MiB, each of whose letters may be escaped. */
const bodyLimit = 4 * 1024 * 1024

export const autofixes = area(
  'autofixes',
  {
    'autofixes.list': {
      summary: 'List the autofixes of a workspace',
      route: 'GET /v1/autofixes/{workspaceId}',
      words: 'patches fixes proposals proposed changes code reviews',
      access: ['autofixes:read'],
      path: object({ workspaceId: WorkspaceId }),
      query: list({
        sort: ['created', 'updated', 'title', 'status', 'id'],
        filter: ['id', 'status', 'checkState', 'repositoryId', 'issueId', 'threadId', 'origin', 'ownerId', 'labels'],
        also: ['q', 'span'],
      }),
      result: page(Autofix),
    },
    'autofixes.get': {
      summary: 'Show an autofix with its check and approvals',
      route: 'GET /v1/autofixes/{workspaceId}/{id}',
      words: 'patch fix proposal state conflicts details',
      access: ['autofixes:read'],
      path: object(autofix),
      result: Autofix,
      etag: true,
      errors: ['not_found'],
    },
    'autofixes.diff': {
      summary: 'Show the change of an autofix',
      description:
        '`patch`: as it was given. `mbox`: for `git am`, made for the newest commit of its branch where it applies ' +
        'there. `json`: files with their lines.',
      route: 'GET /v1/autofixes/{workspaceId}/{id}/diff',
      words: 'patch download mbox git am lines changes of a fix',
      access: ['autofixes:read'],
      path: object(autofix),
      query: object({ format: Type.Optional(choice(['patch', 'mbox', 'json'], { default: 'patch' })) }),
      result: Type.String(),
      produces: ['text/x-diff', 'application/mbox', 'application/json'],
      errors: ['not_found', 'conflict'],
    },
    'autofixes.post': {
      summary: 'Propose a change of code as a patch',
      description:
        'Checked at once against its base and the newest commit of its branch. What is no patch is 400 with the line; ' +
        'one that does not apply to its base is kept with the check `invalid`. A newer one of the same thread and ' +
        'repository supersedes those that are not approved yet.',
      route: 'POST /v1/autofixes',
      past: 'proposed',
      words: 'fix patch diff repair code change suggest propose',
      access: ['autofixes:write'],
      agents: ['autofix'],
      bodyLimit,
      body: object({
        workspaceId: WorkspaceId,
        repositoryId: RepositoryId,
        title,
        description: Type.Optional(description),
        patch,
        baseRef: Type.Optional(baseRef),
        baseSha: Type.Optional(baseSha),
        status: Type.Optional(choice(['draft', 'proposed'], { default: 'proposed' })),
        issueId: Type.Optional(nullable(IssueId)),
        threadId: Type.Optional(
          nullable({ ...ThreadId, description: 'Where it was made; of a run always its own thread.' }),
        ),
        labels: Type.Optional(LabelIds),
      }),
      result: Autofix,
      status: 201,
    },
    'autofixes.patch': {
      summary: 'Change an autofix, or propose a draft',
      description:
        'While it is draft, proposed or approved. Another patch or base drops the approvals: what was approved is ' +
        'proposed again.',
      route: 'PATCH /v1/autofixes/{workspaceId}/{id}',
      words: 'edit fix patch rebase title draft propose',
      access: ['autofixes:write'],
      agents: ['autofix'],
      bodyLimit,
      path: object(autofix),
      body: object({
        title: Type.Optional(title),
        description: Type.Optional(description),
        patch: Type.Optional(patch),
        baseRef: Type.Optional(baseRef),
        baseSha: Type.Optional({ ...baseSha, description: 'The commit that the patch was made from.' }),
        status: Type.Optional(choice(['proposed'])),
        issueId: Type.Optional(nullable(IssueId)),
        labels: Type.Optional(LabelIds),
      }),
      result: Autofix,
      etag: true,
      errors: ['not_found', 'conflict'],
    },
    'autofixes.check': {
      summary: 'Check an autofix against the newest commit again',
      description: 'Syncs of the repository do so by themselves.',
      route: 'POST /v1/autofixes/{workspaceId}/{id}/check',
      past: 'checked',
      words: 'does the patch still apply conflicts test fix',
      access: ['autofixes:write'],
      agents: ['autofix'],
      path: object(autofix),
      result: Autofix,
      errors: ['not_found'],
    },
    'autofixes.approve': {
      summary: 'Approve an autofix',
      description:
        'People only, in a session. Whoever started the run that made the patch cannot be the only one. One that has ' +
        'a conflict is 409.',
      route: 'POST /v1/autofixes/{workspaceId}/{id}/approve',
      past: 'approved',
      words: 'accept review sign off fix patch',
      access: ['autofixes:write'],
      credentials: ['session'],
      restricted: agentCallers,
      path: object(autofix),
      body: object({
        patchSha256: Type.Optional({
          ...patchSha256,
          description: 'Of the patch that was read; 409 where it is another by now.',
        }),
      }),
      result: Autofix,
      errors: ['not_found'],
    },
    'autofixes.reject': {
      summary: 'Reject an autofix',
      route: 'POST /v1/autofixes/{workspaceId}/{id}/reject',
      past: 'rejected',
      words: 'decline refuse close fix patch',
      access: ['autofixes:write'],
      credentials: ['session'],
      restricted: agentCallers,
      path: object(autofix),
      body: object({
        reason: choice(rejectReasons),
        note: Type.Optional(nullable(Type.String({ maxLength: 2_000 }))),
      }),
      result: Autofix,
      errors: ['not_found'],
    },
    'autofixes.apply': {
      summary: 'Make a commit of an approved autofix',
      description:
        'On the newest commit of its branch, by the approver, as `autofix/<id>`. `branch` keeps it here; `push` pushes ' +
        'that branch, and `pull_request` asks for its merge, both by the credentials of the repository. No other ' +
        'branch is ever pushed, and none that is there is changed.',
      route: 'POST /v1/autofixes/{workspaceId}/{id}/apply',
      past: 'applied',
      words: 'commit push branch pull request merge fix patch',
      access: ['autofixes:write'],
      path: object(autofix),
      body: object({ target: choice(['branch', 'push', 'pull_request']) }),
      result: Autofix,
      errors: ['not_found'],
    },
    'autofixes.publish': {
      summary: 'Publish an autofix as a page',
      description:
        'As it stands now: description, check and patch. Members can read it, or with `link` everybody who has its ' +
        'address; secrets in known forms and e-mail addresses are taken out and counted.',
      route: 'POST /v1/autofixes/{workspaceId}/{id}/publish',
      past: 'published',
      words: 'share report link page fix patch',
      access: ['autofixes:write'],
      path: object(autofix),
      body: object(Publication),
      result: Page,
      status: 201,
      errors: ['not_found'],
    },
    'autofixes.del': {
      summary: 'Delete an autofix',
      description: 'Not while it is applied and not merged: 409. A branch that was pushed stays where it is.',
      route: 'DELETE /v1/autofixes/{workspaceId}/{id}',
      words: 'remove fix patch proposal',
      access: ['autofixes:delete'],
      reach: 'own',
      path: object(autofix),
      result: deleted('autofix', autofix),
      errors: ['not_found', 'conflict'],
    },
  },
  {
    about: 'Proposed changes of code as patches that git has checked and people approve.',
    carries: { autofixes: {}, autofix_approvals: {} },
    events: {
      'autofixes.conflicted': 'A repository went on, and an autofix does not apply to it any more',
      'autofixes.cleared': 'An autofix applies to its repository again',
      'autofixes.merged': 'An autofix was found merged',
    },
    records: {
      autofix: {
        id: AutofixId,
        table: 'autofixes',
        title: 'title',
        search: ['title', 'description'],
        owned: true,
        labels: true,
        ratings: 'reasoned',
        ofThread: 'thread_id',
      },
    },
    refers: {
      'autofixes.repository_id': 'repository',
      'autofixes.issue_id': 'issue',
      'autofixes.thread_id': 'thread',
      'autofixes.run_thread_id': 'thread',
      'autofixes.commit_author_id': 'workspace_member',
    },
  },
)
