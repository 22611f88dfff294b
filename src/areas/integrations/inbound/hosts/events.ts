// What a host of git repositories tells: a push, a pull request, an issue, or something that is of no use here.
import { readGitUrl } from '../../../../kit/git_urls.ts'
import type { Alert } from '../../../issues/alerts/contract.ts'
import { fingerprintOf, makeAlert } from '../mapping/mapped.ts'
import { severityOf } from '../mapping/severities.ts'
import { link } from '../mapping/words.ts'
import type { Json } from '../payloads.ts'
import { addressOf, textOf } from '../values.ts'

/** `urls`: every address under which the repository may be known here, as `kit/git_urls.ts` writes them. */
export type HostEvent =
  | { kind: 'push'; urls: string[]; branch: string | null; sha: string | null }
  | {
      kind: 'pull_request'
      state: 'opened' | 'merged' | 'closed'
      urls: string[]
      url: string
      number: number
      mergeSha: string | null
    }
  | { kind: 'issue'; alert: Alert; isClosed: boolean; urls: string[] }
  | { kind: 'ignored'; why: string }

export function ignored(why: string): HostEvent {
  return { kind: 'ignored', why }
}

/** With and without `.git`, and both spellings of ssh: people copy all of them. */
export function addressesOf(...given: readonly (Json | undefined)[]): string[] {
  const found = given.flatMap(value => {
    const read = readGitUrl(textOf(value).slice(0, 2_048))
    if ('fault' in read) return []
    const bare = read.text.replace(/\/+$/, '').replace(/\.git$/, '')
    const [, user, host, path] = /^([^@/:]+)@([^@/:]+):(.+)$/.exec(bare) ?? []
    const spellings = path === undefined ? [bare] : [bare, `ssh://${user}@${host}/${path}`]
    return spellings.flatMap(text => [`${text}.git`, text])
  })
  return [...new Set(found)]
}

const shaForm = /^[0-9a-f]{40}([0-9a-f]{24})?$/

/** Null for a commit that is not there, which hosts write as zeros. */
export function shaOf(value: Json | undefined): string | null {
  return typeof value === 'string' && shaForm.test(value) && !/^0+$/.test(value) ? value : null
}

const longestBranch = 1_024

export function pushOf(urls: string[], ref: Json | undefined, after: Json | undefined): HostEvent {
  const name = textOf(ref)
  if (urls.length === 0) return ignored('a push that names no repository')
  if (name.startsWith('refs/tags/')) return ignored('a push of a tag')
  const branch = /^refs\/heads\/(.+)$/.exec(name)?.[1] ?? null
  return { kind: 'push', urls, branch: branch && branch.length <= longestBranch ? branch : null, sha: shaOf(after) }
}

export function pullRequestOf(
  urls: string[],
  state: 'opened' | 'merged' | 'closed',
  { url: page, number, mergeSha }: { url: Json | undefined; number: Json | undefined; mergeSha: string | null },
): HostEvent {
  const url = addressOf(page)
  if (urls.length === 0) return ignored('a pull request that names no repository')
  if (url === null || !Number.isSafeInteger(number)) return ignored('a pull request without an address and a number')
  return {
    kind: 'pull_request',
    state,
    urls,
    url,
    number: Number(number),
    mergeSha: state === 'merged' ? mergeSha : null,
  }
}

/** An issue as its host tells of it. */
export type Told = {
  host: 'github' | 'gitlab' | 'gitea'
  repository: string
  number: Json | undefined
  title: Json | undefined
  body: Json | undefined
  url: Json | undefined
  author: string
  labels: readonly string[]
  severity?: Json | undefined
  at: Json | undefined
}

export function issueOf(urls: string[], told: Told, isClosed: boolean, now: Date): HostEvent {
  const { host, repository, number, title, url } = told
  if (urls.length === 0 || repository === '') return ignored('an issue that names no repository')
  if (!Number.isSafeInteger(number)) return ignored('an issue without a number')
  const name = `${repository}#${number}`
  const page = addressOf(url)
  const alert = makeAlert(
    {
      title: textOf(title) || name,
      // With the name of the server, since there may be several of a kind.
      fingerprint: fingerprintOf(host, page && URL.canParse(page) ? `${new URL(page).host}/${name}` : name),
      severity: severityOf(told.severity, ...told.labels.map(rankIn)),
      body: [
        textOf(told.body),
        link(`${host === 'gitlab' ? 'GitLab' : host === 'gitea' ? 'Gitea' : 'GitHub'} ${number}`, page),
      ],
      resources: [`repository/${repository}`],
      labels: told.labels,
      externalId: name,
      url: page,
      at: told.at,
      fields: [
        ['host', host],
        ['repository', repository],
        ['number', number],
        ['state', isClosed ? 'closed' : 'open'],
        ['author', told.author],
      ],
    },
    now,
  )
  return { kind: 'issue', alert, isClosed, urls }
}

/** `severity: high`, `priority/p1`, `P2`; another label says nothing about that, even if it is a word like `error`. */
function rankIn(label: string): string {
  const [, named] = /^(?:severity|sev|priority|prio)\s*(?:::?|\/|-|=)\s*(.+)$/i.exec(label) ?? []
  return named ?? (/^(p|sev-?)\d$/i.test(label) ? label : '')
}
