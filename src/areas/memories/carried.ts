// Memories in the archive of a workspace: equal ones are found by the hash of their text, whichever ids stand in it now.
import type { Carrier } from '../../kit/carrying.ts'
import { hashOf } from './changes.ts'
import { putHashes, textsAfter } from './store.ts'

const atOnce = 200

export const carrier: Carrier = {
  async settle(db, workspaceId) {
    for (let after = ''; ; ) {
      const page = await textsAfter(db, workspaceId, after, atOnce)
      const other = page.map(({ id, hash, ...text }) => ({ id, hash, now: hashOf(text) }))
      await putHashes(
        db,
        workspaceId,
        other.filter(({ hash, now }) => hash !== now).map(({ id, now }) => ({ id, hash: now })),
      )
      if (page.length < atOnce) return
      after = page.at(-1)?.id ?? after
    }
  },
}
