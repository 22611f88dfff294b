// A PostgreSQL of the test's own, to be restarted and killed: the one that others use is left alone.
import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './service.ts'

/** Where Debian keeps the newest server's programs; undefined where there is none. */
export const serverPrograms = newestPrograms('/usr/lib/postgresql')

function newestPrograms(root: string): string | undefined {
  if (!existsSync(root)) return undefined
  const versions = readdirSync(root).sort((one, other) => Number(other) - Number(one))
  return versions.map(version => join(root, version, 'bin')).find(bin => existsSync(join(bin, 'initdb')))
}

export type Cluster = { url: string; start(): void; stop(mode: 'fast' | 'immediate'): void; remove(): void }

export async function startCluster(): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-cluster-'))
  const data = join(folder, 'data')
  const port = await freePort()
  const who = ordinaryUser()
  if (who) chownSync(folder, who.uid, who.gid)
  const run = (program: string, ...words: string[]) =>
    execFileSync(join(serverPrograms ?? '', program), words, { ...who, cwd: folder, stdio: 'ignore' })
  const start = () => {
    const options = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1`
    run('pg_ctl', 'start', '-w', '-D', data, '-l', join(folder, 'log'), '-o', options)
  }
  const stop = (mode: string) => run('pg_ctl', 'stop', '-w', '-m', mode, '-D', data)
  run('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync')
  start()
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    start,
    stop,
    remove() {
      if (existsSync(join(data, 'postmaster.pid'))) stop('immediate')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** PostgreSQL does not run as root. */
function ordinaryUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres']).toString())
  return { uid: idOf('-u'), gid: idOf('-g') }
}
