// Sends generated requests to every operation as every kind of caller, and says which answers are not as declared.
import fc from 'fast-check'
import type { Answer, TestPlatform } from '../helpers/platform.ts'
import { callers, type Kind, kinds } from './callers.ts'
import { type Document, type FuzzedOperation, servedDocument } from './document.ts'
import { type FuzzRequest, placesOf, requestTo, toInject } from './requests.ts'

/** Enough to send it again: kept in found.json, these are replayed for ever. */
export type Found = { operation: string; caller: Kind; request: FuzzRequest; problem: string }

type Outcome = { sent: number; found: Found[]; statuses: Map<string, Map<number, number>> }

type Pair = { operation: FuzzedOperation; requests: fc.Arbitrary<FuzzRequest>; caller: Kind }

const atOnce = 4

/** Each pair begins with these, so that every operation is seen to succeed as well. */
const plain = (['own', 'foreign', 'crossed'] as const).map((aim): [FuzzRequest] => [
  { aim, path: {}, query: {}, body: {}, without: [], headers: {}, from: '10.2.0.1' },
])

/** The limits are tested elsewhere; here they would only hide what is behind them. */
export const fuzzEnv = { RATE_LIMIT: '1000000', ANONYMOUS_RATE_LIMIT: '1000000' }

export async function fuzzer(p: TestPlatform) {
  const document = await servedDocument(p)
  const people = await callers(p)
  const outcome: Outcome = { sent: 0, found: [], statuses: new Map() }

  async function send(operation: FuzzedOperation, kind: Kind, request: FuzzRequest): Promise<string | null> {
    const id = operation.operationId
    const { headers, goods, secrets } = await people.take(id, kind)
    const toSend = toInject(placesOf(document, operation), operation, request, goods, headers)
    const answer = await p.request(toSend)
    outcome.sent++
    const counts = outcome.statuses.get(id) ?? new Map()
    outcome.statuses.set(id, counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1))
    people.spent(id, kind, operation.method, answer.status)
    // Whoever holds the token of an invite may see what it is for, and is let in by accepting it; a page that was shared
    // by its address is for whoever has that.
    const isLetIn = /^(workspace_members\.invites\.(accept|preview)|pages\.public)$/.test(id) && answer.status === 200
    return document.judge(operation, answer) ?? (isLetIn ? null : leak(answer, JSON.stringify(toSend), secrets))
  }

  async function fuzzPair({ operation, requests, caller }: Pair, runs: number, seed: number): Promise<void> {
    const property = fc.asyncProperty(requests, async request => {
      const problem = await send(operation, caller, request)
      if (problem) throw new Error(problem)
    })
    const { failed, counterexample, errorInstance } = await fc.check(property, { numRuns: runs, seed, examples: plain })
    if (!failed || !counterexample) return
    const problem = (errorInstance as Error).message
    outcome.found.push({ operation: operation.operationId, caller, request: counterexample[0], problem })
  }

  return {
    document,
    people,
    outcome,
    /** Each pair of an operation and a caller gets as many requests as every other. */
    async run(operations: readonly FuzzedOperation[], total: number, seed: number): Promise<Outcome> {
      const pairs = operations.flatMap(operation => {
        const requests = requestTo(document, operation)
        return kinds.map(caller => ({ operation, requests, caller }))
      })
      const runs = Math.ceil(total / pairs.length)
      const work = async () => {
        for (let pair = pairs.shift(); pair; pair = pairs.shift()) await fuzzPair(pair, runs, seed)
      }
      await Promise.all(Array.from({ length: atOnce }, work))
      return outcome
    },
    async replay({ operation: id, caller, request }: Found): Promise<string | null> {
      return await send(operationOf(document, id), caller, request)
    },
  }
}

function operationOf({ operations }: Document, id: string): FuzzedOperation {
  const operation = operations.find(({ operationId }) => operationId === id)
  if (!operation) throw new Error(`the document has no ${id}`)
  return operation
}

/** Something of a workspace that the caller is not in, and did not name. */
function leak({ text }: Answer, sent: string, secrets: readonly string[]): string | null {
  const seen = secrets.find(secret => text.includes(secret) && !sent.includes(secret))
  return seen ? `shows ${seen}, which is not the caller's: ${text.slice(0, 500)}` : null
}
