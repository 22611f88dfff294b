// Whom and what a note mentions: people by `@username`, issues by `#412` or by a link. What stands in code does not count.
import type { Db } from '../../../kit/db.ts'
import * as members from '../../workspace_members/store.ts'
import { idsOf } from '../store.ts'

/** More than a person would mention; the rest of a pasted list is passed over. */
const most = 20

const code = /```[\s\S]*?```|`[^`\n]*`/g
const person = /(?<![\w@./-])@([A-Za-z0-9][A-Za-z0-9._-]{1,63})/g
const number = /(?<![\w&#/])#(\d{1,9})\b/g
const link = /\bissue_[0-9a-z]{24}\b/g

function namesIn(text: string) {
  const plain = text.replace(code, ' ')
  const all = (pattern: RegExp) => [...new Set([...plain.matchAll(pattern)].map(found => found[1] ?? found[0]))]
  return {
    // Names differ in more than case, and a full stop at the end of a sentence is none of the name.
    usernames: all(person)
      .map(name => name.replace(/[._-]+$/, '').toLowerCase())
      .slice(0, most),
    numbers: all(number).map(Number).slice(0, most),
    ids: all(link).slice(0, most),
  }
}

export async function peopleIn(db: Db, workspaceId: string, text: string, before = ''): Promise<string[]> {
  const known = new Set(namesIn(before).usernames)
  const added = namesIn(text).usernames.filter(name => !known.has(name))
  return added.length > 0 ? await members.idsByUsername(db, workspaceId, added) : []
}

/** Issues of the workspace; whatever else the text names is not there. */
export async function issuesIn(db: Db, workspaceId: string, text: string): Promise<string[]> {
  const { numbers, ids } = namesIn(text)
  return numbers.length + ids.length > 0 ? await idsOf(db, workspaceId, numbers, ids) : []
}
