// One check of a workspace's ledger at a time: who asks for what already waits shares it, and few may wait.
import { slowDown } from '../../contract/errors.ts'
import type { Db } from '../../kit/db.ts'
import { checkLedger, type LedgerCheck, type Span } from '../../kit/ledger_check.ts'
import type { Settings } from '../../kit/settings.ts'

const mostWaiting = 4
const retrySeconds = 5

type Line = { waiting: Map<string, Promise<LedgerCheck>>; last: Promise<unknown> }

/** By the instance's settings: what reads for one request is no place to keep what all requests share. */
const lines = new WeakMap<Settings, Map<string, Line>>()

export function checkInTurn(db: Db, settings: Settings, chain: string, span: Span): Promise<LedgerCheck> {
  const ofInstance = lines.get(settings) ?? new Map<string, Line>()
  lines.set(settings, ofInstance)
  const line = ofInstance.get(chain) ?? { waiting: new Map(), last: Promise.resolve() }
  ofInstance.set(chain, line)
  const range = `${span.fromSeq ?? ''}-${span.toSeq ?? ''}`
  const same = line.waiting.get(range)
  if (same) return same
  if (line.waiting.size >= mostWaiting) {
    throw slowDown('Other checks of this audit log are waiting; ask again when they are done.', retrySeconds)
  }
  const check = line.last.then(() => {
    // Once it has begun, its answer would be older than a further question.
    line.waiting.delete(range)
    return checkLedger(db, settings.signLedger, chain, span)
  })
  line.waiting.set(range, check)
  const done = check
    .catch(() => {})
    .then(() => {
      if (line.last === done) ofInstance.delete(chain)
    })
  line.last = done
  return check
}
