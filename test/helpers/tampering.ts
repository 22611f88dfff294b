// What somebody who may write to the database, but has no key, can do to the ledger of a workspace.

export type Attack = {
  what: string
  /** Run before the last two of the four entries are written: what an attacker copied earlier. */
  early?: string
  /** Statements; `$1` stands for the chain, `$2` for another workspace's. */
  sql: readonly string[]
  /** Whether the head was touched, so that the next write in that chain is refused. */
  refused: boolean
  /** Where it is found: by the workspace's own check, or by the operator's of the instance. */
  foundBy: 'verify' | 'instance'
}

const hashOf = (text: string) => `encode(sha256(convert_to(${text}, 'UTF8')), 'hex')`
const keepHead = `create table stolen as select * from ledger_heads where chain = $1`
const putHeadBack = [`delete from ledger_heads where chain = $1`, `insert into ledger_heads select * from stolen`]
const rehash = (entry: string) =>
  `update ledger set entry = ${entry}, personal = null, hash = ${hashOf(`previous_hash || ':' || seq || ':' || ${entry}`)}
   where chain = $1 and seq = 4`

export const attacks: readonly Attack[] = [
  { what: 'a cut tail', sql: ['delete from ledger where chain = $1 and seq > 2'], refused: false, foundBy: 'verify' },
  {
    what: 'a cut tail with a head that fits, but for its signature',
    sql: [
      'delete from ledger where chain = $1 and seq > 2',
      `update ledger_heads h set seq = 2, hash = l.hash, previous_hash = l.previous_hash from ledger l
       where h.chain = $1 and l.chain = $1 and l.seq = 2`,
    ],
    refused: true,
    foundBy: 'verify',
  },
  {
    what: 'a cut tail with the head of that time, which the key has signed',
    early: keepHead,
    sql: ['delete from ledger where chain = $1 and seq > 2', ...putHeadBack],
    refused: true,
    // Nothing in the workspace is wrong by itself; what the instance has recorded meanwhile tells.
    foundBy: 'verify',
  },
  {
    what: 'a rewritten end, with hashes and a head that fit',
    sql: [
      rehash(`replace(entry, 'Team 3', 'Team 9')`),
      'update ledger_heads h set hash = l.hash from ledger l where h.chain = $1 and l.chain = $1 and l.seq = 4',
    ],
    refused: true,
    foundBy: 'verify',
  },
  {
    what: 'a removed entry',
    sql: ['delete from ledger where chain = $1 and seq = 2'],
    refused: false,
    foundBy: 'verify',
  },
  {
    what: 'a removed beginning',
    sql: ['delete from ledger where chain = $1 and seq = 1'],
    refused: false,
    foundBy: 'verify',
  },
  {
    what: 'a removed chain',
    sql: ['delete from ledger where chain = $1', 'delete from ledger_heads where chain = $1'],
    refused: true,
    foundBy: 'verify',
  },
  { what: 'a removed head', sql: ['delete from ledger_heads where chain = $1'], refused: true, foundBy: 'verify' },
  {
    what: 'a forged entry behind the head',
    sql: [
      `insert into ledger select chain, 5, md5(random()::text), entry, personal, hash, ${hashOf(`hash || ':5:' || entry`)},
         at, action, outcome, actor_id, target_object, target_id from ledger where chain = $1 and seq = 4`,
    ],
    // The next row has no place.
    refused: true,
    foundBy: 'verify',
  },
  {
    what: 'a forged entry before the beginning',
    sql: [
      `insert into ledger select chain, 0, md5(random()::text), entry, personal, '', hash,
         at, action, outcome, actor_id, target_object, target_id from ledger where chain = $1 and seq = 4`,
    ],
    refused: false,
    foundBy: 'verify',
  },
  {
    what: 'a changed entry',
    sql: [`update ledger set entry = replace(entry, 'Team 1', 'Team 9') where chain = $1 and seq = 2`],
    refused: false,
    foundBy: 'verify',
  },
  {
    what: 'a changed personal part',
    sql: [
      `update ledger set personal = replace(personal::text, '127.0.0.1', '127.0.0.2')::json where chain = $1 and seq = 2`,
    ],
    refused: false,
    foundBy: 'verify',
  },
  {
    what: 'a changed column',
    sql: [`update ledger set actor_id = 'usr_somebody' where chain = $1 and seq = 2`],
    refused: false,
    foundBy: 'verify',
  },
  {
    what: 'two entries that changed places',
    sql: [
      'update ledger set seq = -seq where chain = $1 and seq in (2, 3)',
      'update ledger set seq = 5 + seq where chain = $1 and seq < 0',
    ],
    refused: false,
    foundBy: 'verify',
  },
  {
    what: 'the head of another chain',
    sql: [
      `update ledger_heads h set seq = o.seq, hash = o.hash, signature = o.signature from ledger_heads o
       where h.chain = $1 and o.chain = $2`,
    ],
    refused: true,
    foundBy: 'verify',
  },
  {
    what: 'a signature that was blanked',
    sql: [`update ledger_heads set signature = '' where chain = $1`],
    refused: true,
    foundBy: 'verify',
  },
  {
    what: 'a head that calls itself an older one',
    sql: ['update ledger_heads set version = 1 where chain = $1'],
    refused: true,
    foundBy: 'verify',
  },
  {
    what: 'a forged checkpoint',
    sql: [
      `insert into ledger_checkpoints select chain, seq, hash, 'forged', now() from ledger where chain = $1 and seq = 2`,
      'delete from ledger where chain = $1 and seq <= 2',
    ],
    refused: false,
    foundBy: 'verify',
  },
  {
    what: 'a removed record of the beginning',
    sql: [`delete from ledger where chain = 'instance' and target_id = $1`],
    refused: false,
    foundBy: 'instance',
  },
  {
    what: 'a changed record of where the chain stood',
    sql: [
      `update ledger set entry = replace(entry, '"path":"seq","after":4', '"path":"seq","after":1')
       where chain = 'instance' and target_id = $1`,
    ],
    refused: false,
    foundBy: 'instance',
  },
  {
    what: 'a chain that was removed with all that is known of it',
    sql: [
      'delete from ledger where chain = $1',
      'delete from ledger_heads where chain = $1',
      `delete from ledger where chain = 'instance' and target_id = $1`,
    ],
    refused: true,
    foundBy: 'instance',
  },
]
