// Checks a chain of ledger entries, row by row; pure, so that an exported file can be checked anywhere.

/** One row as it is stored and exported: `entry` is the exact text that was hashed. */
export type ChainRow = {
  seq: number
  entry: string
  personal: PersonalRow | null
  previousHash: string
  hash: string
}

export type PersonalRow = { salt: string; address: string | null; userAgent: string | null; changes: unknown }

export type Sha256 = (text: string) => string | Promise<string>

export type Broken = { seq: number; problem: string }

/** Where the rows before the first one were pruned, or nothing was: seq 0 and no hash. */
export type Start = { seq: number; hash: string }

export const genesis: Start = { seq: 0, hash: '' }

export function chainText(previousHash: string, seq: number, entry: string): string {
  return `${previousHash}:${seq}:${entry}`
}

export function personalText({ salt, address, userAgent, changes }: PersonalRow): string {
  return JSON.stringify([salt, address, userAgent, changes])
}

/** Says what is wrong with a row that should follow `before`, or nothing. */
export async function checkRow(sha256: Sha256, before: Start, row: ChainRow): Promise<string | null> {
  if (row.seq !== before.seq + 1) return `entry ${before.seq + 1} is missing or out of order`
  if (row.previousHash !== before.hash) return 'the entry before it was changed'
  if ((await sha256(chainText(row.previousHash, row.seq, row.entry))) !== row.hash) return 'the entry was changed'
  if (row.personal === null) return null
  const { personalDigest } = toldBy(row.entry) ?? {}
  const isSame = (await sha256(personalText(row.personal))) === personalDigest
  return isSame ? null : 'the personal part was changed'
}

/** What an entry says; nothing where somebody has put something else in its place. */
export function toldBy(entry: string): Record<string, unknown> | null {
  const told = parse(entry)
  return typeof told === 'object' ? told : null
}

/** Walks rows in order; stops at the first that is broken. `also` says what else is wrong with a row that is whole. */
export async function checkChain<R extends ChainRow>(
  sha256: Sha256,
  start: Start,
  rows: AsyncIterable<R> | Iterable<R>,
  also: (row: R) => string | null = () => null,
): Promise<{ broken: Broken | null; checked: number; end: Start }> {
  let end = start
  let checked = 0
  for await (const row of rows) {
    const problem = (await checkRow(sha256, end, row)) ?? also(row)
    if (problem) return { broken: { seq: end.seq + 1, problem }, checked, end }
    end = { seq: row.seq, hash: row.hash }
    checked++
  }
  return { broken: null, checked, end }
}

/** First and last line of an export; the rows stand between them. */
export type ExportHead = { type: 'atrium.audit_export'; version: 1; chain: string; start: Start }
export type ExportEnd = {
  type: 'atrium.audit_export.end'
  count: number
  end: Start
  publicKey: string
  signature: string
}

/** First line of an export with filters, which is no chain. */
export const filteredExport = 'atrium.audit_export.filtered'
export const filteredNote =
  'Filtered: entries are left out, so it cannot be verified as a chain; export without filters for that.'

/** What the instance signs at the end of an export. */
export function exportSeal(chain: string, start: Start, end: Start): string {
  return `atrium.audit_export:${chain}:${start.seq}:${start.hash}:${end.seq}:${end.hash}`
}

export type FileCheck = {
  ok: boolean
  checked: number
  problem: string | null
  chain: string | null
  end: Start
  publicKey: string | null
}

const encoder = new TextEncoder()

export async function webSha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', encoder.encode(text))
  return [...new Uint8Array(digest)].map(byte => byte.toString(16).padStart(2, '0')).join('')
}

/** Checks an exported NDJSON file, line by line, without asking anyone. `known`: seq → hash of an earlier export. */
export async function checkExport(
  lines: AsyncIterable<string> | Iterable<string>,
  sha256: Sha256 = webSha256,
  known: ReadonlyMap<number, string> = new Map(),
): Promise<FileCheck> {
  let head: ExportHead | null = null
  let end: Start = genesis
  let checked = 0
  const result = (problem: string | null, publicKey: string | null = null): FileCheck => {
    return { ok: problem === null, checked, problem, chain: head?.chain ?? null, end, publicKey }
  }
  for await (const line of lines) {
    if (line.trim() === '') continue
    const value = parse(line)
    if (!value) return result(`line ${checked + 2} is not JSON`)
    if (head === null) {
      if (value.type === filteredExport) return result(filteredNote)
      if (value.type !== 'atrium.audit_export') return result('this is not an exported audit log')
      head = value as unknown as ExportHead
      end = head.start
    } else if (value.type === 'atrium.audit_export.end') {
      return result(await sealProblem(head, end, checked, value as unknown as ExportEnd), String(value.publicKey))
    } else {
      const row = value as unknown as ChainRow
      const problem = await checkRow(sha256, end, row)
      if (problem) return result(`entry ${end.seq + 1}: ${problem}`)
      const earlier = known.get(row.seq)
      if (earlier !== undefined && earlier !== row.hash)
        return result(`entry ${row.seq}: differs from the earlier export`)
      end = { seq: row.seq, hash: row.hash }
      checked++
    }
  }
  return result('the file ends before its last line: it was cut off')
}

async function sealProblem(head: ExportHead, end: Start, count: number, last: ExportEnd): Promise<string | null> {
  if (last.count !== count || last.end.seq !== end.seq || last.end.hash !== end.hash)
    return 'entries at the end are missing'
  const isGood = await isSigned(last.publicKey, last.signature, exportSeal(head.chain, head.start, end))
  return isGood ? null : 'the signature is wrong'
}

/** Whether the key has signed this text. */
export async function isSigned(publicKey: string, signature: string, text: string): Promise<boolean> {
  const key = await crypto.subtle.importKey('raw', bytesOf(publicKey), 'Ed25519', false, ['verify'])
  return await crypto.subtle.verify('Ed25519', key, bytesOf(signature), encoder.encode(text))
}

function parse(line: string): Record<string, unknown> | null {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(text, character => character.charCodeAt(0))
}
