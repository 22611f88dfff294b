// What the files of skills hold, by their hash; kept as long as the skill is, since its versions can be brought back.
import { type Db, first } from '../../../kit/db.ts'
import { sql } from '../../../kit/sql.ts'

export type NewContent = { skillId: string; sha256: string; bytes: Uint8Array }

/** One statement carries no more than this. */
const mostAtOnce = 4 * 1024 * 1024

/** Of skills that are there; what is kept already stays. */
export async function putContents(db: Db, contents: readonly NewContent[]): Promise<void> {
  for (let rest = contents; rest.length > 0; ) {
    let [size, count] = [0, 0]
    for (const { bytes } of rest) {
      size += bytes.length
      if (count > 0 && size > mostAtOnce) break
      count++
    }
    await insert(db, rest.slice(0, count))
    rest = rest.slice(count)
  }
}

async function insert(db: Db, contents: readonly NewContent[]): Promise<void> {
  const [skillIds, hashes] = [contents.map(({ skillId }) => skillId), contents.map(({ sha256 }) => sha256)]
  const bytes = contents.map(content => Buffer.from(content.bytes))
  await db.query(sql`
    insert into skill_contents (skill_id, sha256, bytes)
    select * from unnest(${skillIds}::text[], ${hashes}::text[], ${bytes}::bytea[]) on conflict do nothing`)
}

export async function contentOf(db: Db, skillId: string, sha256: string): Promise<Uint8Array> {
  const found = await first<{ bytes: Uint8Array }>(
    db,
    sql`select bytes from skill_contents where skill_id = ${skillId} and sha256 = ${sha256}`,
  )
  if (!found) throw new Error(`the content ${sha256} of ${skillId} is gone`)
  return found.bytes
}
