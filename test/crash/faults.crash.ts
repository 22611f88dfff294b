// Faults that take their time: a database and a mail server that stand still, and nobody is told.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { administer, postgresUrl, urlOf } from '../helpers/engines.ts'
import { differences, signUp, writeDuring } from '../helpers/persistent.ts'
import { faultyProxy } from '../helpers/proxy.ts'
import { type Service, start } from '../helpers/service.ts'
import { mailServer } from '../helpers/smtp.ts'
import { client } from './writers.ts'

const pause = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms))
const limits = { RATE_LIMIT: '1000000', ANONYMOUS_RATE_LIMIT: '1000000', LOG_LEVEL: 'silent' }

/** An unanswered statement is given up after 35 s, an unanswered connection after 5 s; then there is an answer. */
const longestAnswerMs = 45_000

it.skipIf(!postgresUrl).each([30, 60])(
  'PostgreSQL that stands still for %i s loses and doubles nothing',
  async seconds => {
    const folder = mkdtempSync(join(tmpdir(), 'atrium-faults-'))
    const name = `atrium_faults_${randomBytes(4).toString('hex')}`
    await administer(`create database ${name}`)
    const proxy = await faultyProxy(new URL(urlOf(name)), 5432)
    let service: Service | undefined
    try {
      service = await start({ ...limits, DATA_DIR: folder, DATABASE_URL: proxy.url })
      const someone = await signUp(service)
      const { names, refusals, longestMs } = await writeDuring(service, someone, async () => {
        await pause(500)
        proxy.hold()
        await pause(seconds * 1_000)
        proxy.release()
        await pause(500)
      })
      expect(await differences(service, someone, names)).toEqual([])
      expect([...new Set(refusals)].filter(text => text !== '503 Service unavailable 1')).toEqual([])
      expect(longestMs).toBeLessThan(longestAnswerMs)
      const figures = { acknowledged: names.length, refused: refusals.length, longestMs: Math.round(longestMs) }
      process.stdout.write(`faults, PostgreSQL still for ${seconds} s: ${JSON.stringify(figures)}\n`)
    } finally {
      await service?.stop('SIGKILL')
      await proxy.close()
      await administer(`drop database if exists ${name} with (force)`)
      rmSync(folder, { recursive: true, force: true })
    }
  },
)

it('a mail server that stands still for 40 s gets every mail in the end, each of them once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-faults-'))
  const smtp = await mailServer()
  const proxy = await faultyProxy(new URL(smtp.url), 25)
  const service = await start({ ...limits, DATA_DIR: folder, SMTP_URL: proxy.url })
  try {
    const someone = await signUp(service)
    const send = client(service.url, someone.token)
    proxy.hold()
    const emails = Array.from({ length: 5 }, () => `${randomBytes(6).toString('hex')}@example.com`)
    const { workspaceId } = someone
    for (const email of emails) {
      await send('POST', '/workspace_members/invites', { workspaceId, position: 'viewer', email })
    }
    await pause(40_000)
    expect(smtp.received).toEqual([])
    proxy.release()
    const mailed = () => emails.filter(email => smtp.to(email).length > 0).length
    await expect.poll(mailed, { timeout: 300_000, interval: 500 }).toBe(emails.length)
    const ids = emails.map(email => new Set(smtp.to(email).map(({ messageId }) => messageId)).size)
    expect(ids).toEqual(emails.map(() => 1))
    const copies = emails.reduce((sum, email) => sum + smtp.to(email).length, 0)
    process.stdout.write(
      `faults, mail server still for 40 s: ${emails.length} mails, ${copies - emails.length} doubled\n`,
    )
  } finally {
    await service.stop('SIGKILL')
    await proxy.close()
    await smtp.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
