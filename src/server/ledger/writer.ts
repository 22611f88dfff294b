// The writer of the ledger: checks the head it builds on, chains, signs, and writes in one statement.
import { ApiError } from '../../contract/errors.ts'
import type { Database, Tx } from '../../kit/db.ts'
import { beginAction, findRecord, headVersion, instanceChain, standing } from '../../kit/ledger_records.ts'
import { oneByOne } from '../../kit/one_by_one.ts'
import { type Sql, sql } from '../../kit/sql.ts'
import type { Alarm } from './alarm.ts'
import type { LedgerFeed } from './feed.ts'
import { type Head, type LedgerEntry, type LedgerKey, link, type PersonalPart, signHead } from './ledger.ts'

export type Addition = { chain: string; entry: LedgerEntry; personal: PersonalPart }

export type Ledger = {
  /**
   * Writes entries in the transaction of what they tell. `isLast`: the commit goes along with the last of them, and
   * nothing may be written behind it. `isRepeatable`: it may also throw `HeadMoved`.
   */
  append(tx: Tx, additions: readonly Addition[], isLast?: boolean, isRepeatable?: boolean): Promise<void>
  alarm: Alarm
}

/** Somebody else wrote to the ledger meanwhile: nothing is kept, and all of the transaction is to be done again. */
export class HeadMoved extends Error {}

type Parts = {
  key: LedgerKey
  alarm: Alarm
  /** Without it no head is remembered from one transaction to the next. */
  database?: Pick<Database, 'engine' | 'synced'>
  feed?: Pick<LedgerFeed, 'changed'>
}

/** Chains whose head this process remembers; of one that is forgotten it only knows less. */
const mostKnown = 10_000
/** How long the head of a chain is locked first, after another process was found to write to it. */
const sharedMs = 1_000

export function openLedger({ database, key, alarm, feed }: Parts): Ledger {
  /** As this process last committed them. The embedded engine has no other writer: there they are the heads. */
  const latest = new Map<string, Head>()
  /** Of these, what is on the disk. */
  const known = new Map<string, Head>()
  const sharedUntil = new Map<string, number>()
  const inTurn = oneByOne()
  const isAlone = database?.engine === 'pglite'
  /** The heads that a transaction has locked, with what it has added, and the actions of that. */
  const locked = new WeakMap<Tx, { heads: Map<string, Head>; grown: Map<string, Set<string>> }>()

  function tampered(chain: string, problem: string, cause?: unknown): ApiError {
    alarm.raise(chain, problem)
    return new ApiError(
      'internal',
      'The audit log was changed from outside, so nothing more can be recorded and nothing was done; tell the operator.',
      undefined,
      { cause: cause ?? new Error(`the ledger ${chain} was tampered with: ${problem}`) },
    )
  }

  function lockedBy(tx: Tx) {
    const there = locked.get(tx)
    if (there) return there
    const heads = new Map<string, Head>()
    const grown = new Map<string, Set<string>>()
    const own = { heads, grown }
    locked.set(tx, own)
    tx.after(() => {
      remember(latest, heads)
      // Nobody hears of what could still be lost, and a head that a fallen server lost would look like one moved back.
      database?.synced().then(
        () => {
          remember(known, heads)
          feed?.changed(grown)
        },
        () => {},
      )
    })
    return own
  }

  /** Locked in the order of their names, everywhere, so that two transactions cannot wait for each other. */
  async function lock(tx: Tx, chains: readonly string[], heads: Map<string, Head>): Promise<void> {
    if (chains.length === 0) return
    const rows = await tx.query<Head>(sql`
      select chain, seq, hash, signature, version from ledger_heads
      where chain = any(${chains}::text[]) order by chain for update`)
    for (const head of rows) {
      const { chain, seq, hash, signature, version } = head
      if (version !== headVersion || signature !== signHead(key, chain, seq, hash)) {
        throw tampered(chain, 'the signature of its head is wrong')
      }
      if (seq < (known.get(chain)?.seq ?? 0)) throw tampered(chain, 'its head was moved back')
      heads.set(chain, head)
    }
  }

  async function take(tx: Tx, chains: readonly string[], isLast: boolean): Promise<Map<string, Head>> {
    const { heads } = lockedBy(tx)
    const wanted = chains.filter(chain => !heads.has(chain))
    if (isAlone) {
      await tx.begun
      for (const chain of wanted) {
        const head = latest.get(chain)
        if (head) heads.set(chain, head)
      }
    }
    const missing = wanted.filter(chain => !heads.has(chain))
    if (missing.length === 0) return heads
    // A chain that may have to begin needs the instance's head too, and whoever adds more later may need it then.
    // As known before the wait for the locks: meanwhile somebody else may begin it.
    const there = new Set(missing.filter(chain => known.has(chain)))
    const isSure = isLast && there.size === missing.length
    await lock(tx, isSure || heads.has(instanceChain) ? missing : [...new Set([...missing, instanceChain])], heads)
    for (const chain of missing) {
      if (heads.has(chain)) continue
      if (there.has(chain) || chain === instanceChain) throw tampered(chain, 'its head was removed')
      await begin(tx, chain, heads)
    }
    return heads
  }

  /** With the instance's head in hand nobody else can begin a chain; somebody may have just before. */
  async function begin(tx: Tx, chain: string, heads: Map<string, Head>): Promise<void> {
    await lock(tx, [chain], heads)
    if (heads.has(chain)) return
    if (!heads.has(instanceChain)) throw tampered(instanceChain, 'its head was removed')
    const { hasRows, record } = await findRecord(tx, chain)
    if (hasRows || record) throw tampered(chain, 'its head was removed')
    const empty = { chain, seq: 0, hash: '' }
    await add(tx, false, heads, { chain: instanceChain, ...systemEntry(beginAction, standing(empty)) })
    heads.set(chain, { ...empty, signature: '', version: headVersion })
  }

  function isShared(chain: string): boolean {
    const until = sharedUntil.get(chain)
    if (until === undefined || until > Date.now()) return until !== undefined
    sharedUntil.delete(chain)
    return false
  }

  /**
   * One after the other within this process, so that each knows the head that the one before it wrote and needs no
   * statement to lock it: behind any other head the entry is refused.
   */
  function addInTurn(tx: Tx, addition: Addition, isRepeatable: boolean): Promise<void> {
    const { chain } = addition
    return inTurn(chain, async () => {
      const head = isRepeatable && !isShared(chain) ? latest.get(chain) : undefined
      const heads = head ? lockedBy(tx).heads.set(chain, head) : await take(tx, [chain], true)
      const moved = () => new HeadMoved(`the head of the ledger ${chain} is another one`)
      try {
        await add(tx, true, heads, addition, head && moved)
        remember(latest, heads)
      } catch (error) {
        latest.delete(chain)
        if (error instanceof HeadMoved) {
          // Those that are never written to again would stay.
          if (sharedUntil.size >= mostKnown) sharedUntil.clear()
          sharedUntil.set(chain, Date.now() + sharedMs)
        }
        throw error
      }
    })
  }

  async function add(
    tx: Tx,
    isLast: boolean,
    heads: Map<string, Head>,
    addition: Addition,
    mismatched: (...said: Parameters<typeof tampered>) => Error = tampered,
  ): Promise<void> {
    const head = heads.get(addition.chain)
    if (!head) throw new Error(`the head of ${addition.chain} is not locked`)
    const row = link(key, head, addition.entry, addition.personal)
    const send = isLast ? tx.last : tx.query
    const written = send(writeSql(head, row, addition.entry))
    // Before the answer: with that of the commit, which may come along, all of it must be known.
    heads.set(head.chain, row.next)
    const { grown } = lockedBy(tx)
    grown.set(head.chain, (grown.get(head.chain) ?? new Set()).add(addition.entry.action))
    await written.catch(error => {
      // The head is not the one that was built on, or a row stands where none can.
      if (isMismatch(error)) throw mismatched(head.chain, 'its head or the rows behind it were changed', error)
      throw error
    })
  }

  return {
    alarm,
    async append(tx, additions, isLast = false, isRepeatable = false) {
      const [only, another] = additions
      const isOne = only !== undefined && another === undefined
      if (isLast && isOne && !isAlone && !locked.has(tx)) return await addInTurn(tx, only, isRepeatable)
      const sorted = additions.toSorted((one, other) =>
        one.chain < other.chain ? -1 : one.chain > other.chain ? 1 : 0,
      )
      const heads = await take(tx, [...new Set(sorted.map(({ chain }) => chain))], isLast)
      for (const [index, addition] of sorted.entries()) {
        await add(tx, isLast && index === sorted.length - 1, heads, addition)
      }
    },
  }
}

/** What comes later in a chain stays, whoever hears of it first. */
function remember(map: Map<string, Head>, heads: ReadonlyMap<string, Head>): void {
  for (const head of heads.values()) {
    if (head.seq < (map.get(head.chain)?.seq ?? 0)) continue
    map.delete(head.chain)
    map.set(head.chain, head)
    if (map.size > mostKnown) map.delete(map.keys().next().value ?? '')
  }
}

const nobody: PersonalPart = { address: null, userAgent: null, changes: [] }

/** What the platform does by itself. */
export function systemEntry(
  action: string,
  told: Pick<LedgerEntry, 'target' | 'changes'>,
  at = new Date(),
  surface = 'job',
  cause?: string,
): { entry: LedgerEntry; personal: PersonalPart } {
  const actor = { type: 'system', id: 'system', credentialId: null, callerKind: null, surface }
  const entry = { at: at.toISOString(), action, outcome: 'success' as const, actor, ...told, requestId: null }
  return { entry: cause === undefined ? entry : { ...entry, cause }, personal: nobody }
}

/**
 * Where the head is another one, `moved` has no hash, and the row without it is refused: nothing is committed. The head is
 * compared where it is set, not in "where", which would not find the row that somebody is just committing. What is set
 * may not be null: that would be refused before the statement waits for them.
 */
function writeSql(before: Head, { id, text, personal, next }: ReturnType<typeof link>, entry: LedgerEntry): Sql {
  const { chain, seq, hash, signature, version } = next
  const { at, action, outcome, actor, target } = entry
  const moved =
    before.signature === ''
      ? sql`insert into ledger_heads (chain, seq, previous_hash, hash, signature, version)
          values (${chain}, ${seq}, ${before.hash}, ${hash}, ${signature}, ${version}) returning previous_hash`
      : sql`update ledger_heads
          set seq = ${seq}, hash = ${hash}, signature = ${signature},
            previous_hash = case when seq = ${before.seq} and hash = ${before.hash}
              and signature = ${before.signature} and version = ${before.version} then hash else 'another' end
          where chain = ${chain} returning nullif(previous_hash, 'another') as previous_hash`
  return sql`
    with moved as (${moved})
    insert into ledger (chain, seq, id, entry, personal, previous_hash, hash,
      at, action, outcome, actor_id, target_object, target_id)
    values (${chain}, ${seq}, ${id}, ${text}, ${personal}::json, (select previous_hash from moved), ${hash},
      ${at}, ${action}, ${outcome}, ${actor.id}, ${target?.object ?? null}, ${target?.id ?? null})`
}

type Fault = { code?: string; column?: string; constraint?: string; cause?: Fault }

function isMismatch(error: unknown): boolean {
  const { code, column, constraint } = (error instanceof ApiError ? error.cause : error) as Fault
  return (
    (code === '23502' && (column === 'previous_hash' || column === 'seq')) ||
    constraint === 'ledger_pkey' ||
    constraint === 'ledger_heads_pkey'
  )
}
