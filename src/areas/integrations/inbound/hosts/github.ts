// Webhooks of GitHub. Gitea sends nearly the same, and `gitea.ts` reads it by these functions.
import type { Json, Received } from '../payloads.ts'
import { type Fields, fieldsOf, isFields, listOf, textOf } from '../values.ts'
import { addressesOf, type HostEvent, ignored, issueOf, pullRequestOf, pushOf, shaOf } from './events.ts'

export function readGithub({ headers }: Received, payload: Json, now: Date): HostEvent {
  return readLikeGithub('github', headers['x-github-event'], payload, now)
}

export function readLikeGithub(
  host: 'github' | 'gitea',
  event: string | undefined,
  payload: Json,
  now: Date,
): HostEvent {
  if (!isFields(payload)) return ignored('a webhook that is not an object')
  switch (event) {
    case 'ping':
      return ignored('a ping')
    case 'push':
      return pushOf(urlsOf(payload), payload.ref, payload.after)
    case 'pull_request':
      return ofPullRequest(payload)
    case 'issues':
      return ofIssue(host, payload, now)
    case undefined:
      return ignored(`a webhook without the header ${host === 'github' ? 'X-GitHub-Event' : 'X-Gitea-Event'}`)
    default:
      return ignored(`a webhook of the kind "${event.slice(0, 50)}"`)
  }
}

function urlsOf({ repository }: Fields): string[] {
  const { clone_url: https, ssh_url: ssh } = fieldsOf(repository)
  return addressesOf(https, ssh)
}

/** Other actions, such as new commits and labels, change none of the states. */
function ofPullRequest(payload: Fields): HostEvent {
  const pull = fieldsOf(payload.pull_request)
  const did = textOf(payload.action)
  const isOpened = did === 'opened' || did === 'reopened'
  if (!isOpened && did !== 'closed') return ignored(`a pull request that was "${did.slice(0, 50)}"`)
  return pullRequestOf(urlsOf(payload), isOpened ? 'opened' : pull.merged === true ? 'merged' : 'closed', {
    url: pull.html_url,
    number: pull.number ?? payload.number,
    // While it is open, GitHub names a merge here that it only tried.
    mergeSha: shaOf(pull.merge_commit_sha),
  })
}

const opens: ReadonlySet<string> = new Set(['opened', 'reopened'])
const closes: ReadonlySet<string> = new Set(['closed', 'deleted'])

/** Other changes are left alone: each would count as if the problem had happened again. */
function ofIssue(host: 'github' | 'gitea', payload: Fields, now: Date): HostEvent {
  const did = textOf(payload.action)
  if (!opens.has(did) && !closes.has(did)) return ignored(`an issue that was "${did.slice(0, 50)}"`)
  const issue = fieldsOf(payload.issue)
  const told = {
    host,
    repository: textOf(fieldsOf(payload.repository).full_name),
    number: issue.number,
    title: issue.title,
    body: issue.body,
    url: issue.html_url,
    author: textOf(fieldsOf(issue.user).login),
    labels: listOf(issue.labels).map(label => textOf(fieldsOf(label).name)),
    at: did === 'opened' ? issue.created_at : issue.updated_at,
  }
  return issueOf(urlsOf(payload), told, closes.has(did), now)
}
