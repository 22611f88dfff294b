// Carries out the operations on versions of skills.
import { implement } from '../../../kit/implement.ts'
import { found } from '../../../kit/outcomes.ts'
import { existing, held, noted, writeNext } from '../changing.ts'
import { acceptedText } from '../format/accepting.ts'
import { shown } from '../format/showing.ts'
import { versions } from './contract.ts'
import * as store from './store.ts'

export default implement(versions, {
  'skills.versions.list': async ({ db }, { workspaceId, id, ...query }) => {
    await existing(db, workspaceId, id)
    return await store.pageOfVersions(db, query, id)
  },

  'skills.versions.revert': async (ctx, { workspaceId, id, version }) => {
    const before = await held(ctx, workspaceId, id)
    const { markdown, parametersSchema, files } = await found(
      store.findVersion(ctx.db, id, Number(version)),
      'version of the skill',
    )
    await writeNext(ctx, before, { markdown, text: await acceptedText(markdown), parametersSchema, files })
    return shown(await noted(ctx, before))
  },
})
