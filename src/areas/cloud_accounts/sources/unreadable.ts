// A source that cannot be read at all, and what to do about it.
import type { Unseen } from '../found/contract.ts'

/** The message is shown to people: it never quotes what the source holds. */
export class UnreadableSource extends Error {
  override name = 'UnreadableSource'
  readonly code: Unseen['code']

  constructor(code: Unseen['code'], text: string) {
    super(text)
    this.code = code
  }
}
