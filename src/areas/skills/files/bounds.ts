// What the files of one skill may be: their paths, how many, how large together.
import { ApiError, badRequest } from '../../../contract/errors.ts'
import { pathKey, refusePaths } from '../../../kit/file_paths.ts'
import { mainFile, mostFiles, mostTotalBytes } from '../fields/contract.ts'
import type { FileState } from './store.ts'

export function refuseFiles(files: readonly Pick<FileState, 'path' | 'size'>[]): void {
  refusePaths(files.map(({ path }) => path))
  if (files.some(({ path }) => pathKey(path) === pathKey(mainFile))) {
    const expected = `another path than ${mainFile}, which is the text of the skill itself; change that with skills.patch`
    throw badRequest(`"path" must be ${expected}.`, [{ path: 'path', rule: 'path', expected }])
  }
  if (files.length > mostFiles) {
    const expected = `at most ${mostFiles} files`
    throw badRequest(`A skill has ${expected}; take some out.`, [{ path: 'path', rule: 'maxItems', expected }])
  }
  if (files.reduce((sum, { size }) => sum + size, 0) > mostTotalBytes) {
    const most = `${mostTotalBytes / 1024 / 1024} MiB`
    throw new ApiError('payload_too_large', `The files of a skill have at most ${most} together; take some out.`)
  }
}
