// People who sign up and log in over HTTP; every answer on the way is held against its declaration.
import type { InjectOptions } from 'fastify'
import { requestOf } from '../../src/client/request.ts'
import { sql } from '../../src/kit/sql.ts'
import { operation as lookUp } from '../../src/operations.ts'
import { checkAnswer } from './answers.ts'
import { type Answer, password, type TestPlatform } from './platform.ts'

export type Sent = {
  /** A session, key or other bearer. */
  token?: string
  /** The address it comes from. */
  from?: string
  headers?: Record<string, string>
}

export type Person = { id: string; email: string; token: string }

let count = 0

export function newEmail(name = 'person'): string {
  return `${name}${count++}@example.com`
}

/** A code that has the right form and is not this one. */
export function otherThan(code: string): string {
  return `${code[0] === '7' ? '8' : '7'}${code.slice(1)}`
}

export function people(p: TestPlatform) {
  async function call(id: string, input: Record<string, unknown> = {}, sent: Sent = {}): Promise<Answer> {
    const operation = lookUp(id)
    if (!operation) throw new Error(`no operation ${id}`)
    const { method, path, body } = requestOf(operation, input)
    const credential = sent.token?.startsWith('atr_') ? 'x-api-key' : 'authorization'
    const answer = await p.request({
      method: method as InjectOptions['method'],
      url: path,
      remoteAddress: sent.from ?? '127.0.0.1',
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(sent.token && { [credential]: credential === 'x-api-key' ? sent.token : `Bearer ${sent.token}` }),
        ...sent.headers,
      },
      ...(body !== undefined && { payload: body }),
    })
    checkAnswer(id, answer)
    return answer
  }

  async function signUp(email = newEmail(), sent: Sent = {}, secret = password): Promise<Person> {
    const { result } = await call('auth.signup', { email, password: secret }, sent)
    return { id: result.user.id, email, token: result.token }
  }

  /** Signed up and verified, with the session of the sign-up. */
  async function join(email = newEmail(), secret = password): Promise<Person> {
    const person = await signUp(email, {}, secret)
    const code = await p.code(email)
    await call('auth.verifyEmail', { email, code }, { token: person.token })
    return person
  }

  /** The code that a reset mails. */
  async function resetCode(email: string, sent: Sent = {}): Promise<string> {
    const before = (await p.mails(email, 0)).length
    await call('auth.generatePasswordResetCode', { email }, sent)
    return await p.code(email, before + 1)
  }

  async function isAlive(token: string): Promise<boolean> {
    return (await call('auth.whoami', {}, { token })).status === 200
  }

  /** Once nothing waits to be done any more. */
  async function settled(): Promise<void> {
    const waiting = () =>
      p.database.query<{ name: string; state: string; count: number }>(sql`
        select name, state::text, count(*)::int as count from jobs.job
        where state < 'completed' and start_after <= now() group by 1, 2`)
    for (let tries = 0; tries < 1_000; tries++) {
      if ((await waiting()).length === 0) return
      // Each wake makes every worker ask; a worker that found something goes on by itself.
      if (tries % 20 === 0) p.platform.jobs.wake()
      await new Promise(resolve => setTimeout(resolve, 25))
    }
    throw new Error(`jobs are still waiting: ${JSON.stringify(await waiting())}`)
  }

  return { call, signUp, join, resetCode, isAlive, settled }
}
