// Webhooks of GitHub, GitLab and Gitea, as their documentation has them.
import { describe, expect, it } from 'vitest'
import { type Host, type HostEvent, hosts, readHostEvent } from '../../src/areas/integrations/inbound/hosts/reading.ts'
import type { Json } from '../../src/areas/integrations/inbound/payloads.ts'
import { dice, expectAlert, now, payloadNames, payloadOf, received, spoiled } from './sent.ts'

const events: Record<string, string> = {
  github_push: 'push',
  github_pull_request: 'pull_request',
  github_issues: 'issues',
  github_ping: 'ping',
  gitlab_push: 'Push Hook',
  gitlab_tag_push: 'Tag Push Hook',
  gitlab_merge_request: 'Merge Request Hook',
  gitlab_issue: 'Issue Hook',
  gitea_push: 'push',
  gitea_pull_request: 'pull_request',
  gitea_issues: 'issues',
}

const read = (host: Host, event: string | undefined, payload: Json): HostEvent =>
  readHostEvent(host, received('', event === undefined ? {} : { [`x-${host}-event`]: event }), payload, now)

const hostOf = (name: string) => hosts.find(host => name.startsWith(host)) as Host
const told = (name: string) => read(hostOf(name), events[name], payloadOf(name))

type Fields = Record<string, Json>

/** The payload with other fields in one of its objects. */
function changed(name: string, at: string | null, fields: Fields): HostEvent {
  const payload = payloadOf(name) as Fields
  const made = at === null ? { ...payload, ...fields } : { ...payload, [at]: { ...(payload[at] as Fields), ...fields } }
  return read(hostOf(name), events[name], made)
}

const sha = '0d1a26e67d8f5eaf1f6ba5c57fc3c7d91ac0fd1c'
const mergeSha = 'c4295bd74fb0f4fda03689c3df3f2803b658fd85'
const zeros = '0'.repeat(40)

const urls = {
  github: [
    'https://github.com/acme/shop.git',
    'https://github.com/acme/shop',
    'git@github.com:acme/shop.git',
    'git@github.com:acme/shop',
    'ssh://git@github.com/acme/shop.git',
    'ssh://git@github.com/acme/shop',
  ],
  gitlab: [
    'https://gitlab.example.com/acme/web/shop.git',
    'https://gitlab.example.com/acme/web/shop',
    'git@gitlab.example.com:acme/web/shop.git',
    'git@gitlab.example.com:acme/web/shop',
    'ssh://git@gitlab.example.com/acme/web/shop.git',
    'ssh://git@gitlab.example.com/acme/web/shop',
  ],
  gitea: [
    'https://gitea.example.com/acme/shop.git',
    'https://gitea.example.com/acme/shop',
    'ssh://git@gitea.example.com:2222/acme/shop.git',
    'ssh://git@gitea.example.com:2222/acme/shop',
  ],
}

describe('a push', () => {
  it.each([
    ['github_push', 'feature/basket'],
    ['gitlab_push', 'main'],
    ['gitea_push', 'develop'],
  ])('%s names the repository by all its addresses, the branch and the commit', (name, branch) => {
    expect(told(name)).toEqual({ kind: 'push', urls: urls[hostOf(name)], branch, sha })
  })

  it.each(['github_push', 'gitlab_push', 'gitea_push'])('%s of a branch that is gone has no commit', name => {
    expect(changed(name, null, { after: zeros, deleted: true })).toMatchObject({ kind: 'push', sha: null })
  })

  it.each(['github_push', 'gitlab_push', 'gitea_push'])('%s of a tag is ignored', name => {
    expect(changed(name, null, { ref: 'refs/tags/v1' })).toEqual({ kind: 'ignored', why: 'a push of a tag' })
  })

  it('of a tag has a name of its own at GitLab', () => {
    expect(told('gitlab_tag_push')).toEqual({ kind: 'ignored', why: 'a push of a tag' })
  })

  it('without a branch is one all the same, and without a repository is ignored', () => {
    expect(changed('github_push', null, { ref: 7 })).toMatchObject({ kind: 'push', branch: null })
    expect(changed('github_push', null, { repository: {} })).toEqual({
      kind: 'ignored',
      why: 'a push that names no repository',
    })
  })

  it('names no address with a password, or of another kind', () => {
    const event = changed('github_push', 'repository', {
      clone_url: 'https://a:b@x.com/y.git',
      ssh_url: 'ext::sh -c id',
    })
    expect(event).toEqual({ kind: 'ignored', why: 'a push that names no repository' })
  })

  it('reaches us as a hook of the whole server of GitLab too', () => {
    expect(read('gitlab', 'System Hook', payloadOf('gitlab_push'))).toEqual(told('gitlab_push'))
    expect(read('gitlab', 'System Hook', { object_kind: 'user_create' })).toMatchObject({ kind: 'ignored' })
  })
})

describe('a pull request', () => {
  it.each([
    ['github_pull_request', 'https://github.com/acme/shop/pull/42', 42],
    ['gitlab_merge_request', 'https://gitlab.example.com/acme/web/shop/-/merge_requests/12', 12],
    ['gitea_pull_request', 'https://gitea.example.com/acme/shop/pulls/5', 5],
  ])('%s that was merged', (name, url, number) => {
    expect(told(name)).toEqual({
      kind: 'pull_request',
      state: 'merged',
      urls: urls[hostOf(name)],
      url,
      number,
      mergeSha,
    })
  })

  it.each(['github_pull_request', 'gitea_pull_request'])('%s that was closed or opened has no merge', name => {
    const closed = changed(name, 'pull_request', { merged: false })
    expect(closed).toMatchObject({ kind: 'pull_request', state: 'closed', mergeSha: null })
    for (const action of ['opened', 'reopened']) {
      expect(changed(name, null, { action })).toMatchObject({ state: 'opened', mergeSha: null })
    }
    for (const action of ['synchronize', 'labeled', 'edited', 7]) {
      expect(changed(name, null, { action })).toMatchObject({ kind: 'ignored' })
    }
  })

  it('of GitLab is told by its action', () => {
    const did = (action: string) => changed('gitlab_merge_request', 'object_attributes', { action })
    expect(did('open')).toMatchObject({ state: 'opened', mergeSha: null })
    expect(did('reopen')).toMatchObject({ state: 'opened' })
    expect(did('close')).toMatchObject({ state: 'closed', mergeSha: null })
    for (const action of ['update', 'approved', '']) expect(did(action)).toMatchObject({ kind: 'ignored' })
  })

  it('of GitLab that was squashed or moved forward has the commit that is there then', () => {
    const fields = { merge_commit_sha: null, squash_commit_sha: 'a'.repeat(40) }
    expect(changed('gitlab_merge_request', 'object_attributes', fields)).toMatchObject({ mergeSha: 'a'.repeat(40) })
    const forward = { merge_commit_sha: null }
    expect(changed('gitlab_merge_request', 'object_attributes', forward)).toMatchObject({ mergeSha: sha })
  })

  it('without an address or a number is ignored', () => {
    expect(changed('github_pull_request', 'pull_request', { html_url: 'javascript:x' })).toMatchObject({
      kind: 'ignored',
    })
    expect(changed('gitlab_merge_request', 'object_attributes', { iid: '12' })).toMatchObject({ kind: 'ignored' })
  })
})

describe('an issue', () => {
  it.each([
    ['github_issues', 'github:github.com/acme/shop#7', 'acme/shop#7', 'high', ['bug', 'severity: high']],
    ['gitlab_issue', 'gitlab:gitlab.example.com/acme/web/shop#23', 'acme/web/shop#23', 'high', ['basket']],
    ['gitea_issues', 'gitea:gitea.example.com/acme/shop#3', 'acme/shop#3', 'critical', ['P1']],
  ])('%s that was opened is an alert', (name, fingerprint, externalId, severity, labels) => {
    const event = told(name)
    if (event.kind !== 'issue') throw new Error(event.kind)
    expectAlert(event.alert)
    expect(event).toMatchObject({
      isClosed: false,
      urls: urls[hostOf(name)],
      alert: {
        title: 'The basket is empty after signing in',
        fingerprint,
        severity,
        labels,
        source: { type: 'alert', externalId, url: expect.stringContaining('/issues/') },
        at: '2026-11-15T09:20:18.000Z',
        fields: { host: hostOf(name), state: 'open', author: 'ada' },
      },
    })
    expect(event.alert.body).toContain('It is empty then.')
  })

  it.each([
    ['github_issues', null, 'closed', 'reopened', 'labeled'],
    ['gitea_issues', null, 'closed', 'reopened', 'label_updated'],
    ['gitlab_issue', 'object_attributes', 'close', 'reopen', 'update'],
  ])(
    '%s keeps its fingerprint when it is closed and opened again; other changes are ignored',
    (name, at, close, open, other) => {
      const first = told(name)
      const fingerprint = first.kind === 'issue' && first.alert.fingerprint
      expect(changed(name, at, { action: close })).toMatchObject({
        kind: 'issue',
        isClosed: true,
        alert: { fingerprint },
      })
      expect(changed(name, at, { action: open })).toMatchObject({
        kind: 'issue',
        isClosed: false,
        alert: { fingerprint },
      })
      expect(changed(name, at, { action: other })).toMatchObject({ kind: 'ignored' })
    },
  )

  it('that is confidential stays where it is', () => {
    const why = 'a confidential issue'
    expect(changed('gitlab_issue', 'object_attributes', { confidential: true })).toEqual({ kind: 'ignored', why })
    expect(read('gitlab', 'Confidential Issue Hook', payloadOf('gitlab_issue'))).toEqual({ kind: 'ignored', why })
  })

  it('has no severity because of a label that only sounds like one', () => {
    const event = changed('gitea_issues', 'issue', {
      labels: [{ name: 'error' }, { name: 'page' }, { name: 'low-code' }],
    })
    expect(event.kind === 'issue' && event.alert.severity).toBe(undefined)
    for (const label of ['priority/p2', 'Severity::High', 'sev2', 'prio: high']) {
      expect(changed('gitea_issues', 'issue', { labels: [{ name: label }] })).toMatchObject({
        alert: { severity: 'high' },
      })
    }
  })
})

describe('other webhooks', () => {
  it('are ignored, and say what they are', () => {
    expect(told('github_ping')).toEqual({ kind: 'ignored', why: 'a ping' })
    expect(read('github', 'star', {})).toEqual({ kind: 'ignored', why: 'a webhook of the kind "star"' })
    expect(read('gitlab', 'Pipeline Hook', {})).toEqual({
      kind: 'ignored',
      why: 'a webhook of the kind "Pipeline Hook"',
    })
    expect(read('github', undefined, {})).toEqual({
      kind: 'ignored',
      why: 'a webhook without the header X-GitHub-Event',
    })
    expect(read('gitlab', undefined, {})).toEqual({
      kind: 'ignored',
      why: 'a webhook without the header X-Gitlab-Event',
    })
    expect(read('gitea', undefined, {})).toEqual({ kind: 'ignored', why: 'a webhook without the header X-Gitea-Event' })
    for (const host of hosts) {
      expect(read(host, 'push', [])).toEqual({ kind: 'ignored', why: 'a webhook that is not an object' })
    }
  })
})

describe('payloads that are spoiled', () => {
  const names = payloadNames.filter(name => name in events)

  it('are made of all that hosts send', () => {
    expect(names).toEqual(Object.keys(events).sort())
  })

  it.each(names)('never do more than tell of an event: %s', name => {
    const [roll, payload] = [dice(names.indexOf(name) + 100), payloadOf(name)]
    for (let round = 0; round < 400; round++) {
      const event = read(hostOf(name), events[name], spoiled(payload, roll))
      if (event.kind === 'ignored') {
        expect(event.why).toMatch(/^an? [^\0]{3,120}$/s)
        continue
      }
      expect(event.urls.length).toBeGreaterThan(0)
      if (event.kind === 'issue') expectAlert(event.alert)
      if (event.kind === 'push') expect(event.sha ?? sha).toMatch(/^[0-9a-f]{40}$/)
      if (event.kind === 'pull_request') expect(event.url).toMatch(/^https?:\/\/\S+$/)
    }
  })
})
