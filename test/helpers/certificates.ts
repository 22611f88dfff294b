// Authorities that nobody else knows, and what they sign: servers and callers, in PEM.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type Signed = { key: string; cert: string }
/** `server` is for 127.0.0.1 and localhost. */
export type Authority = { ca: string; server: Signed; caller: Signed }

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']

export function authority(name: string): Authority {
  const cwd = mkdtempSync(join(tmpdir(), 'atrium-authority-'))
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd, stdio: 'ignore' })
  const read = (file: string) => readFileSync(join(cwd, file), 'utf8')
  const signed = (subject: string, extensions: string): Signed => {
    writeFileSync(join(cwd, 'ext'), extensions)
    openssl('req', ...newKey, '-subj', `/CN=${subject}`, '-keyout', 'key', '-out', 'csr')
    const by = ['-CA', 'ca', '-CAkey', 'ca_key', '-CAcreateserial', '-extfile', 'ext', '-days', '1']
    openssl('x509', '-req', '-in', 'csr', ...by, '-out', 'cert')
    return { key: read('key'), cert: read('cert') }
  }
  try {
    openssl('req', '-x509', ...newKey, '-subj', `/CN=${name}`, '-days', '2', '-keyout', 'ca_key', '-out', 'ca')
    const server = signed('127.0.0.1', 'subjectAltName=IP:127.0.0.1,DNS:localhost\nbasicConstraints=CA:FALSE\n')
    const caller = signed('atrium', 'extendedKeyUsage=clientAuth\nbasicConstraints=CA:FALSE\n')
    return { ca: read('ca'), server, caller }
  } finally {
    rmSync(cwd, { recursive: true, force: true })
  }
}
