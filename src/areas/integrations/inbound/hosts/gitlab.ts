// Webhooks of GitLab, whose merge requests are pull requests here.
import type { Json, Received } from '../payloads.ts'
import { type Fields, fieldsOf, isFields, listOf, textOf } from '../values.ts'
import { addressesOf, type HostEvent, ignored, issueOf, pullRequestOf, pushOf, shaOf } from './events.ts'

export function readGitlab({ headers }: Received, payload: Json, now: Date): HostEvent {
  if (!isFields(payload)) return ignored('a webhook that is not an object')
  const event = headers['x-gitlab-event'] ?? ''
  // Those of a whole server come under one name, and say in the body which they are.
  const kind = event === 'System Hook' ? textOf(payload.object_kind) : event
  switch (kind) {
    case 'Push Hook':
    case 'push':
      return pushOf(urlsOf(payload), payload.ref, payload.after)
    case 'Tag Push Hook':
    case 'tag_push':
      return ignored('a push of a tag')
    case 'Merge Request Hook':
    case 'merge_request':
      return ofMergeRequest(payload)
    case 'Issue Hook':
      return ofIssue(payload, now)
    case 'Confidential Issue Hook':
      return ignored('a confidential issue')
    case '':
      return ignored('a webhook without the header X-Gitlab-Event')
    default:
      return ignored(`a webhook of the kind "${kind.slice(0, 50)}"`)
  }
}

/** Of the project that it happens in; for a merge request, the one that it goes to. */
function urlsOf({ project }: Fields): string[] {
  const { git_http_url: https, git_ssh_url: ssh } = fieldsOf(project)
  return addressesOf(https, ssh)
}

const states: ReadonlyMap<string, 'opened' | 'merged' | 'closed'> = new Map([
  ['open', 'opened'],
  ['reopen', 'opened'],
  ['merge', 'merged'],
  ['close', 'closed'],
])

function ofMergeRequest(payload: Fields): HostEvent {
  const request = fieldsOf(payload.object_attributes)
  const did = textOf(request.action)
  const state = states.get(did)
  if (state === undefined) return ignored(`a merge request with the action "${did.slice(0, 50)}"`)
  return pullRequestOf(urlsOf(payload), state, {
    url: request.url,
    number: request.iid,
    // Where the branch was only moved forward, there is no commit but its last one.
    mergeSha:
      shaOf(request.merge_commit_sha) ?? shaOf(request.squash_commit_sha) ?? shaOf(fieldsOf(request.last_commit).id),
  })
}

function ofIssue(payload: Fields, now: Date): HostEvent {
  const issue = fieldsOf(payload.object_attributes)
  const did = textOf(issue.action)
  if (issue.confidential === true) return ignored('a confidential issue')
  if (did !== 'open' && did !== 'reopen' && did !== 'close') {
    return ignored(`an issue with the action "${did.slice(0, 50)}"`)
  }
  const labels = listOf(payload.labels ?? issue.labels)
  const told = {
    host: 'gitlab',
    repository: textOf(fieldsOf(payload.project).path_with_namespace),
    number: issue.iid,
    title: issue.title,
    body: issue.description,
    url: issue.url,
    // Whoever did it, who has written the issue only if it is new.
    author: did === 'open' ? textOf(fieldsOf(payload.user).username) : '',
    labels: labels.map(label => textOf(fieldsOf(label).title)),
    severity: issue.severity,
    at: did === 'open' ? issue.created_at : issue.updated_at,
  } as const
  return issueOf(urlsOf(payload), told, did === 'close', now)
}
