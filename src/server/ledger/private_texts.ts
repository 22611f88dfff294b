// The ledger is read by admins too: of what is private it says that it changed, and not what it says.
import type { Kind } from '../../contract/directory.ts'
import { camel } from '../../kit/sql.ts'
import { directory } from '../../operations.ts'
import { changesBetween, type fieldKinds } from './changes.ts'
import type { LedgerEntry } from './ledger.ts'

const hidden = '[private]'
const hiddenAnew = '[private, changed]'

type Version = Readonly<Record<string, unknown>>

/** What an entry about the target says of the two versions. */
export function toldBetween(
  kinds: ReturnType<typeof fieldKinds>,
  target: LedgerEntry['target'],
  before: object | undefined,
  after: object | undefined,
) {
  const kind = target ? directory.kinds.get(target.object) : undefined
  return changesBetween(kinds, ...withoutPrivateTexts(kind, before, after))
}

/** Titles and texts are hidden in each version that is private; one that does not say so is as the one before. */
function withoutPrivateTexts(kind: Kind | undefined, before?: object, after?: object): [object?, object?] {
  if (kind?.visibility !== true) return [before, after]
  const names = [...new Set([kind.title, kind.search ?? []].flat())].map(camel)
  const [earlier, later] = [before as Version | undefined, after as Version | undefined]
  return [hide(earlier, names), hide(later && { visibility: earlier?.visibility, ...later }, names, earlier)]
}

function hide(version: Version | undefined, names: readonly string[], earlier?: Version): object | undefined {
  if (version?.visibility !== 'private') return version
  const texts = names.filter(name => typeof version[name] === 'string')
  const isNew = (name: string) => earlier !== undefined && earlier[name] !== version[name]
  return { ...version, ...Object.fromEntries(texts.map(name => [name, isNew(name) ? hiddenAnew : hidden])) }
}
