// Mirrors of repositories in the archive of a workspace, as git bundles: code can be read before its host is asked again.
import { badRequest } from '../../contract/errors.ts'
import type { Carrier, FileCarrier } from '../../kit/carrying.ts'
import { GitFailure } from '../../kit/git.ts'

const pathForm = /^repositories\/(\w+)\.bundle$/
const longestHead = 64

const files: FileCarrier = {
  folder: 'repositories',
  async *pack({ git, log }, _workspaceId, ids) {
    for (const id of ids.of('repositories')) {
      const mirror = git.mirror(id)
      // A mirror is what this machine has made; where it has none, the archive has only the record.
      if (!(await mirror.canBundle())) continue
      log.info({ repository: id }, 'a repository is bundled')
      yield { path: `repositories/${id}.bundle`, chunks: mirror.bundle() }
    }
  },
  async check(path, chunks, ids) {
    const id = pathForm.exec(path)?.[1]
    if (id === undefined || !ids.has('repositories', id)) {
      throw badRequest(`The archive has a bundle of no repository: "${path}".`)
    }
    let head = ''
    for await (const chunk of chunks) {
      if (head.length < longestHead) head += Buffer.from(chunk.subarray(0, longestHead)).toString('latin1')
    }
    if (!/^# v[23] git bundle\n/.test(head)) throw badRequest(`"${path}" in the archive is no git bundle.`)
  },
  async unpack({ git }, _workspaceId, path, chunks, here) {
    await git.ready()
    try {
      await git.mirror(here(pathForm.exec(path)?.[1] ?? '')).unbundle(chunks)
    } catch (error) {
      if (!(error instanceof GitFailure) || error.fault === 'disk') throw error
      throw Object.assign(badRequest(`git does not take "${path}" of the archive; nothing was imported.`), {
        cause: error,
      })
    }
  },
}

export const carrier: Carrier = { files }
