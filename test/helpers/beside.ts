// A second process of the same platform: its own connections and memory, the same database and instance key.
import { pino } from 'pino'
import { requestOf } from '../../src/client/request.ts'
import { operation as lookUp } from '../../src/operations.ts'
import { openPostgres } from '../../src/server/backends/postgres.ts'
import { startPlatform } from '../../src/server/start.ts'
import { freshLimiter } from './engines.ts'
import type { TestCaller, TestPlatform } from './platform.ts'

export async function beside(p: TestPlatform) {
  if (!p.url) throw new Error('the embedded database has one process')
  const database = await openPostgres({ url: p.url })
  const limiter = await freshLimiter()
  const logger = pino({ level: 'silent' })
  const running = await startPlatform({ config: p.config, database, limiter, logger, now: p.now })
  await running.app.ready()
  return {
    app: running.app,
    platform: running.platform,
    async status(id: string, input: Record<string, unknown>, caller: Pick<TestCaller, 'headers'>): Promise<number> {
      const operation = lookUp(id)
      if (!operation) throw new Error(`no operation ${id}`)
      const { method, path, body } = requestOf(operation, input)
      const headers = { ...(body !== undefined && { 'content-type': 'application/json' }), ...caller.headers }
      const answer = await running.app.inject({
        method: method as 'GET',
        url: path,
        headers,
        ...(body !== undefined && { payload: body }),
      })
      return answer.statusCode
    },
    close: () => running.close(),
  }
}
