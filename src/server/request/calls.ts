// Calls that a job makes in the name of a run: by the run's own token, through the door that every client uses.
import type { FastifyInstance } from 'fastify'
import { requestOf } from '../../client/request.ts'
import { inForeground } from '../../kit/background.ts'
import { type CallAsRun, ServiceStops } from '../../kit/jobs.ts'
import { operation as lookUp } from '../../operations.ts'

/** Jobs are there before the door is: what calls too early fails, and is tried again. */
export function callsOfRuns(): { call: CallAsRun; open(app: FastifyInstance): void; close(): void } {
  let door: FastifyInstance | undefined
  let isClosed = false
  return {
    open: app => {
      door = app
    },
    close: () => {
      isClosed = true
    },
    async call(token, id, input, { idempotencyKey, approvalId, reason } = {}) {
      const operation = lookUp(id)
      if (!operation) throw new Error(`no operation ${id}`)
      if (isClosed) throw new ServiceStops()
      if (!door) throw new Error('nothing can be called before the service has started')
      const { method, path, body, contentType } = requestOf(operation, input as Record<string, unknown>)
      const asking = {
        method: method as 'GET',
        url: path,
        headers: {
          authorization: `Bearer ${token}`,
          'user-agent': 'atrium-script',
          ...(contentType !== undefined && { 'content-type': contentType }),
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
          ...(approvalId && { 'approval-id': approvalId }),
          ...(reason && { 'approval-reason': encodeURIComponent(reason) }),
        },
        ...(body !== undefined && { payload: typeof body === 'string' ? body : Buffer.from(body) }),
      }
      const through = door
      const answer = await inForeground(async () => await through.inject(asking))
      const { result = null, error = null } = JSON.parse(answer.payload)
      const asked = answer.statusCode === 202 ? answer.headers['approval-id'] : undefined
      return { status: answer.statusCode, result, error, approvalId: typeof asked === 'string' ? asked : null }
    },
  }
}
