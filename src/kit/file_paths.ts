// Paths of files that strangers name: only what means the same file on every system, below the folder that it is for.
import { badRequest } from '../contract/errors.ts'

export const longestPath = 255

/** Paths that some system takes for one another have the same key. */
export function pathKey(path: string): string {
  return path.normalize('NFKC').toLowerCase()
}

/** What is wrong with a path, as a sentence goes on after its name; null where nothing is. */
export function pathFault(path: string): string | null {
  if (path === '' || path.length > longestPath) return `must have 1 to ${longestPath} characters`
  if (path.includes('\\')) return 'has a backslash; separate folders by "/"'
  if (path.startsWith('/') || /^[a-z]:/i.test(path)) return 'is absolute; name it from the folder of the skill'
  const parts = path.split('/')
  if (parts.includes('..') || parts.includes('.'))
    return 'leads out of its folder or around in it; leave "." and ".." out'
  if (parts.includes('')) return 'has an empty part; leave out the second "/"'
  if (/[\u0000-\u001f\u007f\u0080-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(path)) {
    return 'has a control character; take it out'
  }
  if (!path.isWellFormed()) return 'is not valid Unicode'
  return null
}

/** 400 where one leads elsewhere, or where two would be one file, or one a file and a folder, on some system. */
export function refusePaths(paths: readonly string[], folders: readonly string[] = []): void {
  for (const path of [...paths, ...folders]) {
    const fault = pathFault(path)
    if (fault) throw refusal(`The path ${JSON.stringify(path.slice(0, longestPath))} ${fault}.`)
  }
  const files = new Map<string, string>()
  for (const path of paths) {
    const other = files.get(pathKey(path))
    if (other !== undefined) {
      throw refusal(`"${other}" and "${path}" are one file where case does not count; rename one of them.`)
    }
    files.set(pathKey(path), path)
  }
  for (const path of paths) {
    const parts = pathKey(path).split('/')
    for (let length = 1; length < parts.length; length++) {
      const file = files.get(parts.slice(0, length).join('/'))
      if (file !== undefined) throw refusal(`"${file}" is a file and also a folder, of "${path}"; rename one of them.`)
    }
  }
}

function refusal(detail: string) {
  return badRequest(detail, [
    { path: 'path', rule: 'path', expected: 'a path below the folder, with "/" between names' },
  ])
}
