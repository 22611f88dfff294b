// Carries out the operations on files of skills.
import { hash } from 'node:crypto'
import { readBlob } from '../../../kit/blobs.ts'
import { implement } from '../../../kit/implement.ts'
import { found } from '../../../kit/outcomes.ts'
import { reachOf } from '../../../kit/owned.ts'
import { existing, held, noted, refuseDisabled, writeNext } from '../changing.ts'
import { mainFile } from '../fields/contract.ts'
import { refuseFiles } from './bounds.ts'
import { contentOf, putContents } from './contents.ts'
import { files } from './contract.ts'
import { asText, mimeTypeOf } from './media.ts'
import * as store from './store.ts'

export default implement(files, {
  'skills.files.list': async ({ db }, { workspaceId, id, ...query }) => {
    await existing(db, workspaceId, id)
    return await store.pageOfFiles(db, query, id)
  },

  'skills.files.get': async ({ db }, { workspaceId, id, fileId }) => {
    const file = await found(store.findFile(db, workspaceId, id, fileId), 'file')
    const chunks = readBlob(db, workspaceId, file)
    // Never as what it says it is: a page among the files must not run under this address.
    return { contentType: 'application/octet-stream', fileName: fileNameOf(file.path), chunks }
  },

  'skills.files.put': async (ctx, { workspaceId, id, path, content: { bytes } }) => {
    const { db, note } = ctx
    const before = await held(ctx, workspaceId, id)
    const about = { path, size: bytes.length, sha256: hash('sha256', bytes), mimeType: mimeTypeOf(path, bytes) }
    const others = before.files.filter(file => file.path !== path)
    refuseFiles([...others, about])
    const same = before.files.find(file => file.path === path && file.sha256 === about.sha256)
    if (same) {
      note({ unchanged: true })
      return same
    }
    await putContents(db, workspaceId, [{ ...about, bytes }])
    await writeNext(ctx, before, { files: [...others, about] })
    const { size = null, sha256 = null } = before.files.find(file => file.path === path) ?? {}
    const after = await noted(ctx, before, { before: { path, size, sha256 }, after: about })
    return await found(Promise.resolve(after.files.find(file => file.path === path)), 'file')
  },

  'skills.files.del': async (ctx, { workspaceId, id, fileId }) => {
    const before = await held(ctx, workspaceId, id, reachOf(ctx.access, ctx.caller))
    const { path } = await found(Promise.resolve(before.files.find(file => file.id === fileId)), 'file')
    await writeNext(ctx, before, { files: before.files.filter(file => file.id !== fileId) })
    await noted(ctx, before, { before: { fileId, path } })
    return { workspaceId, id, fileId, path, _object: 'skill_file' as const }
  },

  'skills.files.read': async ({ db, caller, enqueue }, { workspaceId, id, path }) => {
    const skill = await existing(db, workspaceId, id)
    refuseDisabled(caller, skill)
    const { markdown, version, files: ofSkill } = skill
    if (path === mainFile) {
      if (caller.callerKind !== null) await enqueue('skills.used', { workspaceId, id, version })
      return { path, mimeType: 'text/markdown', text: markdown, base64: null }
    }
    const file = await found(Promise.resolve(ofSkill.find(one => one.path === path)), 'file')
    const { mimeType } = file
    const bytes = await contentOf(db, workspaceId, file)
    const text = asText(bytes)
    return { path, mimeType, text, base64: text === null ? Buffer.from(bytes).toString('base64') : null }
  },
})

/** For a header: what is not plain in it is left out. */
function fileNameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/[^\w.-]+/g, '_')
}
