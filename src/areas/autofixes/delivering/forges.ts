// Pull requests by the REST interfaces of GitHub, GitLab and Gitea, with the token of the repository.
import { ApiError, conflict } from '../../../contract/errors.ts'
import type { Fetch } from '../../../kit/context.ts'

export type Wanted = { head: string; base: string; title: string; body: string }

type Forge = {
  api: (url: URL) => string
  headers: (token: string) => Record<string, string>
  create: (path: string) => string
  body: (wanted: Wanted) => object
  /** Where those of the branch are listed. */
  list: (path: string, wanted: Wanted) => string
  address: (one: Record<string, unknown>) => unknown
  isOf: (one: Record<string, unknown>, head: string) => boolean
}

const headOf = (one: Record<string, unknown>) => (one.head as { ref?: string } | undefined)?.ref

const forges: Readonly<Record<string, Forge>> = {
  github: {
    api: ({ host, origin }) => (host === 'github.com' ? 'https://api.github.com' : `${origin}/api/v3`),
    headers: token => ({ authorization: `Bearer ${token}`, accept: 'application/vnd.github+json' }),
    create: path => `/repos/${path}/pulls`,
    body: ({ head, base, title, body }) => ({ head, base, title, body }),
    list: (path, { head }) =>
      `/repos/${path}/pulls?state=open&head=${encodeURIComponent(`${path.split('/')[0]}:${head}`)}`,
    address: one => one.html_url,
    isOf: (one, head) => headOf(one) === head,
  },
  gitea: {
    api: ({ origin }) => `${origin}/api/v1`,
    headers: token => ({ authorization: `token ${token}`, accept: 'application/json' }),
    create: path => `/repos/${path}/pulls`,
    body: ({ head, base, title, body }) => ({ head, base, title, body }),
    list: path => `/repos/${path}/pulls?state=open&sort=newest&limit=50`,
    address: one => one.html_url,
    isOf: (one, head) => headOf(one) === head,
  },
  gitlab: {
    api: ({ origin }) => `${origin}/api/v4`,
    headers: token => ({ 'private-token': token, accept: 'application/json' }),
    create: path => `/projects/${encodeURIComponent(path)}/merge_requests`,
    body: ({ head, base, title, body }) => ({ source_branch: head, target_branch: base, title, description: body }),
    list: (path, { head }) =>
      `/projects/${encodeURIComponent(path)}/merge_requests?state=opened&source_branch=${encodeURIComponent(head)}`,
    address: one => one.web_url,
    isOf: (one, head) => one.source_branch === head,
  },
}

export const hasForge = (provider: string) => provider in forges

/**
 * Its address; one that is there already is that one. 409 where the host refuses. `api` and `base`, where they are
 * known: where the host is asked, and what the addresses of its repositories begin with.
 */
export async function openPullRequest(
  ask: Fetch,
  { url, provider, token, api, base }: { url: string; provider: string; token: string; api?: string; base?: string },
  wanted: Wanted,
): Promise<string> {
  const forge = forges[provider]
  const place = URL.canParse(url) ? new URL(url) : null
  if (!forge || !place?.protocol.startsWith('http')) throw conflict(unfit)
  const above = base === undefined ? '' : new URL(base).pathname
  const path = place.pathname.slice(above.length).replace(/^\/+|(?:\/?\.git)?\/*$/g, '')
  const rest = api ?? forge.api(place)
  const headers = { ...forge.headers(token), 'content-type': 'application/json', 'user-agent': 'atrium' }
  const request = async (method: string, at: string, body?: object) => {
    const answer = await ask(`${rest}${at}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, said: (await answer.json().catch(() => null)) as unknown }
  }
  try {
    const made = await request('POST', forge.create(path), forge.body(wanted))
    if (made.status === 200 || made.status === 201) return addressIn(forge, made.said)
    if (made.status !== 409 && made.status !== 422) throw refused(made.status, made.said)
    const { said } = await request('GET', forge.list(path, wanted))
    const same = Array.isArray(said)
      ? said.find(one => forge.isOf(one as Record<string, unknown>, wanted.head))
      : undefined
    if (same === undefined) throw refused(made.status, made.said)
    return addressIn(forge, same)
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw conflict('The host could not be asked for a pull request; the branch is pushed. Try again, or open it there.')
  }
}

const unfit =
  'Pull requests need a repository of the provider github, gitlab or gitea with an https address; push the branch, or take the mbox.'

function addressIn(forge: Forge, said: unknown): string {
  const address = forge.address((said ?? {}) as Record<string, unknown>)
  if (typeof address === 'string' && address.length <= 2048 && URL.canParse(address) && /^https?:/.test(address))
    return address
  throw conflict('The host answered something else than a pull request; the branch is pushed. Look there.')
}

function refused(status: number, said: unknown) {
  const message = (said as { message?: unknown } | null)?.message
  const words = typeof message === 'string' ? ` It said: ${message.slice(0, 200)}` : ''
  return conflict(
    `The host refused the pull request (${status}); the branch is pushed. Check what the token may do.${words}`,
    {
      status,
    },
  )
}
