// A chain of the ledger as a file that can be checked anywhere: each line is what was hashed, the last one is signed.
import { type ChainRow, exportSeal, type Start } from '../contract/ledger_verifier.ts'
import type { Db } from './db.ts'
import { rowsAfter } from './ledger_check.ts'
import type { Settings } from './settings.ts'

/** `isPlain`: without what is known of people beside the entries; the chain holds all the same. */
export async function* chainFile(
  db: Db,
  settings: Pick<Settings, 'exportKey'>,
  chain: string,
  start: Start,
  upTo: number,
  isPlain = false,
) {
  yield `${JSON.stringify({ type: 'atrium.audit_export', version: 1, chain, start })}\n`
  let end = start
  let count = 0
  for await (const rows of rowsAfter(db, chain, start.seq, upTo)) {
    const last = rows.at(-1) as ChainRow
    end = { seq: last.seq, hash: last.hash }
    count += rows.length
    yield rows.map(row => `${JSON.stringify(isPlain ? { ...row, personal: null } : row)}\n`).join('')
  }
  const { publicKey, sign } = settings.exportKey
  const signature = sign(exportSeal(chain, start, end))
  yield `${JSON.stringify({ type: 'atrium.audit_export.end', count, end, publicKey, signature })}\n`
}
