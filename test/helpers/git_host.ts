// Git's own server behind any server of Node: what `git http-backend` answers for the repositories below a folder.
import { spawn } from 'node:child_process'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { gitEnvironment } from './repositories.ts'

/** `path` is that of the repository and what is asked of it, from the folder on. */
export function answerAsGit(root: string, path: string, request: IncomingMessage, response: ServerResponse): void {
  const env = {
    ...gitEnvironment,
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: '1',
    PATH_INFO: path,
    QUERY_STRING: new URL(request.url ?? '/', 'http://localhost').search.slice(1),
    REQUEST_METHOD: request.method,
    CONTENT_TYPE: request.headers['content-type'] ?? '',
    HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
    GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
  }
  const child = spawn('git', ['-c', 'safe.directory=*', 'http-backend'], { env })
  request.pipe(child.stdin)
  const parts: Buffer[] = []
  child.stdout.on('data', part => parts.push(part))
  child.on('close', () => {
    const whole = Buffer.concat(parts)
    const end = whole.indexOf('\r\n\r\n')
    const head = whole
      .subarray(0, end)
      .toString()
      .split('\r\n')
      .map(line => line.split(': ') as [string, string])
    const status = Number(head.find(([name]) => name === 'Status')?.[1]?.slice(0, 3) ?? 200)
    response.writeHead(status, Object.fromEntries(head.filter(([name]) => name !== 'Status')))
    response.end(whole.subarray(end + 4))
  })
}
