// Writers that do not give up: what is refused for now is sent again under the same key until it is done.
import { randomBytes } from 'node:crypto'
import { password } from './platform.ts'
import type { Service } from './service.ts'

export type Writing = {
  /** Names of teams, each of which must be there once. */
  names: string[]
  /** Every answer but the good ones, and every request that got none. */
  refusals: string[]
  longestMs: number
}

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

export async function signUp({ url }: Service): Promise<{ token: string; workspaceId: string }> {
  const email = `${randomBytes(6).toString('hex')}@example.com`
  const answer = await fetch(`${url}/v1/auth/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  })
  const { result, error } = (await answer.json()) as { result: { token: string }; error: { message: string } | null }
  if (error) throw new Error(`the sign-up was refused: ${answer.status} ${error.message}`)
  const headers = { authorization: `Bearer ${result.token}` }
  const list = (await (await fetch(`${url}/v1/workspaces`, { headers })).json()) as {
    result: { items: { id: string }[] }
  }
  return { token: result.token, workspaceId: list.result.items[0]?.id as string }
}

/** Four writers while `during` goes on; each ends with a write that was acknowledged. */
export async function writeDuring(
  { url }: Service,
  { token, workspaceId }: { token: string; workspaceId: string },
  during: () => Promise<void>,
): Promise<Writing> {
  const writing: Writing = { names: [], refusals: [], longestMs: 0 }
  let isOver = false

  async function post(name: string, key: string): Promise<boolean> {
    const started = performance.now()
    const answer = await fetch(`${url}/v1/teams`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify({ workspaceId, name }),
    })
    const body = (await answer.json()) as { success: boolean; error: { message: string } | null }
    writing.longestMs = Math.max(writing.longestMs, performance.now() - started)
    if (answer.status === 201) return true
    writing.refusals.push(`${answer.status} ${body.error?.message} ${answer.headers.get('retry-after')}`)
    return false
  }

  async function writer(number: number): Promise<void> {
    for (let count = 0; !isOver || count === 0; count++) {
      const name = `Team ${randomBytes(4).toString('hex')} ${number}-${count}`
      const key = randomBytes(12).toString('hex')
      while (!(await post(name, key))) await pause(50)
      writing.names.push(name)
    }
  }

  const writers = [0, 1, 2, 3].map(writer)
  await during()
  isOver = true
  await Promise.all(writers)
  return writing
}

/** What is wrong with what the service has, by what the writers were told; empty where nothing is. */
export async function differences(
  { url }: Service,
  { token, workspaceId }: { token: string; workspaceId: string },
  names: readonly string[],
): Promise<string[]> {
  const headers = { authorization: `Bearer ${token}` }
  const get = async (path: string) => {
    const answer = (await (await fetch(`${url}/v1${path}`, { headers })).json()) as { result: Record<string, unknown> }
    return answer.result
  }
  const found: string[] = []
  for (let page = 1; ; page++) {
    const { items, count } = await get(`/teams/${workspaceId}?perPage=100&page=${page}`)
    found.push(...(items as { name: string }[]).map(({ name }) => name))
    if (found.length >= (count as number) || (items as []).length === 0) break
  }
  const entries = await get(`/audit_logs/${workspaceId}?perPage=1&action=teams.post&outcome=success`)
  const { ok, problem } = await get(`/audit_logs/${workspaceId}/verify`)
  return [
    ...names.filter(name => !found.includes(name)).map(name => `${name} is lost`),
    ...found.filter((name, index) => found.indexOf(name) !== index).map(name => `${name} is there twice`),
    ...(entries.count === found.length ? [] : [`${entries.count} entries of ${found.length} writes`]),
    ...(ok ? [] : [`the ledger is broken: ${problem}`]),
  ]
}
