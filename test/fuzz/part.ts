// One part of the run: parts are processes of their own, each with a platform and a share of the operations.
import { expect, it } from 'vitest'
import { signedElsewhere } from '../calls.ts'
import { platform, type TestPlatform } from '../helpers/platform.ts'
import { isDoor } from './document.ts'
import { fuzzEnv, fuzzer } from './fuzz.ts'

const parts = 2
const total = Number(process.env.FUZZ_REQUESTS ?? 50_000)
const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31)

/** A database in memory is left before it grows too large. */
const longestRun = 25_000

export function fuzzPart(part: number): void {
  const share = Math.ceil(total / parts)
  const runs = Math.ceil(share / longestRun)
  it.each(Array.from({ length: runs }, (_, run) => seed + run))(
    `part ${part + 1}, seed %i: every answer is as the document declares it, and shows nothing foreign`,
    async runSeed => {
      const p = await platform({ env: fuzzEnv })
      try {
        await fuzzRun(p, part, Math.ceil(share / runs), runSeed)
      } finally {
        await p.close()
      }
    },
    24 * 3_600_000,
  )
}

async function fuzzRun(p: TestPlatform, part: number, requests: number, runSeed: number): Promise<void> {
  const { document, people, run } = await fuzzer(p)
  const operations = document.operations.filter((_, index) => index % parts === part)
  const started = performance.now()
  const { sent, found, statuses } = await run(operations, requests, runSeed)
  const seconds = Math.round((performance.now() - started) / 1000)
  process.stdout.write(`fuzz: ${sent} requests in ${seconds} s, seed ${runSeed}, ${found.length} found\n`)
  for (const one of found) process.stdout.write(`${JSON.stringify(one)}\n`)
  expect(found.map(({ operation, caller, problem }) => `${operation} as ${caller} ${problem}`)).toEqual([])
  // Otherwise the requests would only have shown that the doors are shut.
  // None of the callers is a sender of telemetry or a payment provider: test/telemetry/doors.test.ts and test/billing are.
  const open = operations.filter(operation => !isDoor(operation) && !signedElsewhere.includes(operation.operationId))
  const never = open.filter(({ operationId }) => !reached(statuses.get(operationId)))
  expect(never.map(({ operationId }) => operationId)).toEqual([])
  for (const { workspaceId, owner } of people.worlds()) {
    const { result } = await p.call('audit_logs.verify', { workspaceId }, await p.session(owner.userId))
    expect(result).toMatchObject({ ok: true })
  }
}

function reached(counts: ReadonlyMap<number, number> | undefined): boolean {
  return [...(counts?.keys() ?? [])].some(status => status < 300)
}
