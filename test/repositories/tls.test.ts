// A host with a certificate of its own authority: read where OUTBOUND_CA names it, and nothing of it is kept elsewhere.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerAsGit } from '../helpers/git_host.ts'
import { platform, type TestPlatform } from '../helpers/platform.ts'
import { commit, newRepository, said, settled, write } from '../helpers/repositories.ts'

const folder = mkdtempSync(join(tmpdir(), 'atrium-tls-'))
const root = join(folder, 'code')
const file = (name: string) => join(folder, name)
const asked: string[] = []
const servers: Server[] = []
let path: string

function openssl(...args: string[]): void {
  execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' })
}

/** An authority, and what it has signed for the names; the authority's own certificate is `<name>_ca.pem`. */
function certificates(name: string, names: string): { key: Buffer; cert: Buffer } {
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const subject = ['-subj', `/CN=${name}`]
  openssl('req', '-x509', ...newKey, ...subject, '-days', '2', '-keyout', `${name}_ca.key`, '-out', `${name}_ca.pem`)
  openssl('req', ...newKey, ...subject, '-keyout', `${name}.key`, '-out', `${name}.csr`)
  writeFileSync(file(`${name}.ext`), `subjectAltName=${names}\nbasicConstraints=CA:FALSE\n`)
  const signed = ['-CA', `${name}_ca.pem`, '-CAkey', `${name}_ca.key`, '-CAcreateserial', '-extfile', `${name}.ext`]
  openssl('x509', '-req', '-in', `${name}.csr`, ...signed, '-days', '1', '-out', `${name}.pem`)
  return { key: readFileSync(file(`${name}.key`)), cert: readFileSync(file(`${name}.pem`)) }
}

async function listening(name: string, names: string): Promise<string> {
  const server = createServer(certificates(name, names), (request, response) => {
    asked.push(`${request.method} ${request.url}`)
    answerAsGit(root, new URL(request.url ?? '/', 'https://localhost').pathname, request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  servers.push(server)
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/project/.git`
}

beforeAll(() => {
  path = newRepository(join(root, 'project'))
  write(path, { 'a.txt': 'one\n' })
  commit(path, 'Begin')
})
afterAll(() => {
  for (const server of servers) {
    server.close()
    server.closeAllConnections()
  }
  rmSync(folder, { recursive: true, force: true })
})

async function added(p: TestPlatform, url: string) {
  const owner = await p.user()
  const { workspaceId } = owner
  const { result } = await p.call('repositories.post', { workspaceId, url, syncIntervalMinutes: null }, owner)
  const read = (at: string) => p.call('repositories.contents', { workspaceId, id: result.id, path: at }, owner)
  return { found: await settled(p, owner, result.id), again: () => settled(p, owner, result.id), read }
}

const objectsOf = (p: TestPlatform, id: string) =>
  readdirSync(join(p.config.DATA_DIR, 'repositories', id), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .filter(name => /\/objects\/|\/refs\/|packed-refs/.test(name))

describe('over https', () => {
  it('a host whose authority OUTBOUND_CA names is cloned and fetched', async () => {
    const url = await listening('trusted', 'IP:127.0.0.1')
    const p = await platform({ env: { OUTBOUND_ALLOW: '127.0.0.1', OUTBOUND_CA: file('trusted_ca.pem') } })
    const { found, again, read } = await added(p, url)
    expect(found).toMatchObject({ status: 'ready', error: null, headSha: said(path, 'rev-parse', 'HEAD') })
    expect((await read('a.txt')).result.text).toBe('one\n')
    write(path, { 'a.txt': 'two\n' })
    const next = commit(path, 'Go on')
    expect(await again()).toMatchObject({ status: 'ready', headSha: next })
    expect((await read('a.txt')).result.text).toBe('two\n')
    await p.close()
  }, 60_000)

  it('one whose authority is unknown is not asked for anything: the error names the certificate, nothing is kept', async () => {
    const url = await listening('unknown', 'IP:127.0.0.1')
    // Neither without any nor with that of somebody else.
    certificates('other', 'IP:127.0.0.1')
    const others: Record<string, string>[] = [{}, { OUTBOUND_CA: file('other_ca.pem') }]
    for (const more of others) {
      const p = await platform({ env: { OUTBOUND_ALLOW: '127.0.0.1', ...more } })
      asked.length = 0
      const { found, read } = await added(p, url)
      expect(found).toMatchObject({ status: 'error', error: { code: 'unreachable' }, headSha: null, sizeBytes: null })
      expect(found.error.text).toMatch(
        /^The certificate of the host is not trusted.*OUTBOUND_CA.*Git said: .*certificate/,
      )
      expect(asked).toEqual([])
      expect(objectsOf(p, found.id)).toEqual([])
      expect((await read('a.txt')).status).toBe(409)
      await p.close()
    }
  }, 60_000)

  it('nor is one whose certificate is for another name', async () => {
    const url = await listening('elsewhere', 'DNS:git.example.com')
    const p = await platform({ env: { OUTBOUND_ALLOW: '127.0.0.1', OUTBOUND_CA: file('elsewhere_ca.pem') } })
    asked.length = 0
    const { found } = await added(p, url)
    expect(found).toMatchObject({ status: 'error', error: { code: 'unreachable' }, headSha: null })
    expect(found.error.text).toContain('The certificate of the host is not trusted')
    expect(asked).toEqual([])
    expect(objectsOf(p, found.id)).toEqual([])
    await p.close()
  }, 60_000)
})
