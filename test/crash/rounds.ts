// The service is started, written to and killed, again and again; after each death it is compared with what it had acknowledged.
import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import type { Database } from '../../src/kit/db.ts'
import { password } from '../helpers/platform.ts'
import { freePort, launch, type Service, start } from '../helpers/service.ts'
import { mailServer } from '../helpers/smtp.ts'
import { compare, compareInside } from './compare.ts'
import { client, type Life, newLife, settle, writeUntilKilled } from './writers.ts'

export const rounds = Number(process.env.ROUNDS ?? 100)

/** A job that was running when its process died is taken up again after this long at the most (see server/jobs.ts). */
const longestReturnMs = 6 * 60_000

const between = (least: number, most: number) => least + Math.random() * (most - least)
const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

type Engine = { env: Record<string, string>; open(): Promise<Database> }

type Mails = Awaited<ReturnType<typeof mailServer>>

export async function killAgainAndAgain({ env, open }: Engine): Promise<Record<string, number>> {
  const smtp = await mailServer()
  const limits = { RATE_LIMIT: '1000000', ANONYMOUS_RATE_LIMIT: '1000000' }
  // Each start takes a port of its own; what mails link to must not change with it.
  const settings = { ...env, ...limits, PUBLIC_URL: 'http://127.0.0.1:3000', SMTP_URL: smtp.url, LOG_LEVEL: 'error' }
  const lives: Life[] = []
  let [killedStarting, unanswered] = [0, 0]
  let service: Service | undefined
  try {
    service = await start(settings)
    const { result } = await client(service.url, null)('POST', '/auth/signup', { email: newEmail(), password })
    const token = result.token as string
    for (let round = 1; round <= rounds; round++) {
      const life = await liveAndDie(service, token)
      unanswered += life.unanswered.length + life.unsure.patches + life.unsure.deletes
      lives.push(life)
      // A start is as good a moment to die as any other.
      if (round % 5 === 0) killedStarting += await dieStarting(settings)
      service = await start(settings)
      await settle(service.url, token, life)
      await compare(service.url, token, life)
      if (round % 10 === 0) process.stdout.write(`crash: round ${round}, ${count(lives)} acknowledged\n`)
    }
    await allMails(smtp, lives)
    for (const life of lives) await compare(service.url, token, life)
    expect(await service.stop()).toBe(0)
    const database = await open()
    const inside = await compareInside(database, lives).finally(() => database.close())
    return { rounds, killedStarting, acknowledged: count(lives), unanswered, ...inside, ...(await mails(smtp, lives)) }
  } finally {
    await service?.stop('SIGKILL')
    await smtp.close()
  }
}

const newEmail = () => `${randomBytes(6).toString('hex')}@example.com`

async function liveAndDie(service: Service, token: string): Promise<Life> {
  const { result } = await client(service.url, token)('POST', '/workspaces', { name: 'One life' })
  const life = newLife(result.id as string)
  const writing = writeUntilKilled(service.url, token, life)
  await Promise.race([pause(between(50, 1_500)), writing])
  await service.stop('SIGKILL')
  await writing
  return life
}

/** 1 where it was still starting. */
async function dieStarting(settings: Record<string, string>): Promise<number> {
  const service = launch(settings, await freePort())
  await Promise.race([pause(between(100, 1_500)), service.ended])
  const isUp = service.output.stdout.includes('is running')
  await service.stop('SIGKILL')
  expect(service.output.stderr).toBe('')
  return isUp ? 0 : 1
}

function count(lives: readonly Life[]): number {
  const one = ({ teams, invites, sessions, acknowledged }: Life) =>
    teams.size + invites.size + sessions.size + acknowledged.patches + acknowledged.deletes
  return lives.reduce((sum, life) => sum + one(life), 0)
}

const addressees = (lives: readonly Life[]) => lives.flatMap(life => [...life.invites.keys(), ...life.sessions.keys()])

async function allMails(smtp: Mails, lives: readonly Life[]): Promise<void> {
  const end = Date.now() + longestReturnMs
  const missing = () => {
    const there = new Set(smtp.received.flatMap(({ to }) => to))
    return addressees(lives).filter(address => !there.has(address))
  }
  while (missing().length > 0 && Date.now() < end) await pause(500)
  expect(missing()).toEqual([])
}

/** Copies of one mail are one mail: same id, same words. One mail for each time it was asked for. */
async function mails(smtp: Mails, lives: readonly Life[]): Promise<{ mails: number; mailsDoubled: number }> {
  let mailsDoubled = 0
  const askedTwice = new Set(lives.flatMap(life => [...life.askedTwice]))
  for (const address of addressees(lives)) {
    const copies = smtp.to(address)
    const byId = new Map(copies.map(mail => [mail.messageId, mail.text]))
    expect(byId.size).toBeLessThanOrEqual(askedTwice.has(address) ? 2 : 1)
    for (const { messageId, text } of copies) expect(text).toBe(byId.get(messageId))
    mailsDoubled += copies.length - byId.size
  }
  return { mails: addressees(lives).length, mailsDoubled }
}
