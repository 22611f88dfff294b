// The scripts in this folder, each in a shell of its own with the real command and a running service.
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { platform, type TestPlatform } from '../helpers/platform.ts'
import { listen } from '../helpers/terminal.ts'

const root = join(import.meta.dirname, '../..')
const scripts = readdirSync(import.meta.dirname).filter(name => name.endsWith('.sh'))

const prelude = `set -eu -o pipefail
code_for() { curl -sf "$MAILS/$1"; }
expect_code() { local want=$1; shift; local got=0; "$@" > /dev/null 2>&1 || got=$?; if [ "$got" != "$want" ]; then echo "$*: exit code $got, not $want" >&2; exit 1; fi; }
trap 'echo "failed at line $LINENO: $BASH_COMMAND" >&2' ERR
`

let running: TestPlatform
let baseUrl: string
const mails = createServer(async (request, response) => {
  response.end(await running.code(decodeURIComponent((request.url ?? '').slice(1))))
})

beforeAll(async () => {
  running = await platform()
  baseUrl = await listen(running)
  await new Promise<void>(ready => mails.listen(0, '127.0.0.1', ready))
})
afterAll(async () => {
  mails.close().closeAllConnections()
  await running.close()
})

describe('the story', () => {
  it.each(scripts)(
    '%s',
    async script => {
      const folder = mkdtempSync(join(tmpdir(), 'atrium-story-'))
      const env = {
        PATH: `${join(root, 'bin')}:${process.env.PATH}`,
        HOME: folder,
        ATRIUM_BASE_URL: baseUrl,
        NODE_COMPILE_CACHE: join(tmpdir(), 'atrium-story-code'),
        MAILS: `http://127.0.0.1:${(mails.address() as AddressInfo).port}`,
      }
      const text = `${prelude}source '${join(import.meta.dirname, script)}'`
      const ran = await promisify(execFile)('bash', ['-c', text], { cwd: folder, env, timeout: 240_000 }).catch(
        error => error,
      )
      rmSync(folder, { recursive: true, force: true })
      expect(ran.code ?? 0, ran.stderr).toBe(0)
    },
    250_000,
  )
})
