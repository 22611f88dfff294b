// Repositories: how many files of 20 KiB and folders of 1,000 entries are read a second, embedded; and
// whether grep over many files takes no more than twice as long as git alone.
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { atriumPerson } from './load/people.ts'
import { atrium, folder, removeFolder } from './load/servers.ts'
import { drive } from './load/wrk.ts'

const files = Number(process.env.BENCH_FILES ?? 50_000)
const seconds = 4
const together = 8
const leastFiles = 500
const leastTrees = 200
const mostTimesGit = 2
const greps = 5

const env = { PATH: process.env.PATH ?? '', GIT_CONFIG_GLOBAL: '/dev/null', HOME: '/nonexistent', LC_ALL: 'C.UTF-8' }
const git = (path: string, args: string[], input?: string) =>
  execFileSync('git', ['-C', path, ...args], { env, input, maxBuffer: 1 << 30, stdio: ['pipe', 'pipe', 'inherit'] })

/** By fast-import: one commit with a file of 20 KiB, a folder of 1,000 entries and many small files. */
function build(path: string): void {
  mkdirSync(path, { recursive: true })
  git(path, ['init', '--quiet', '--bare', '--initial-branch=main', '.'])
  const parts = ['commit refs/heads/main\ncommitter Ada <ada@example.com> 1700000000 +0000\ndata 5\nBegin\n']
  const add = (name: string, text: string) => parts.push(`M 100644 inline ${name}\ndata ${text.length}\n${text}\n`)
  for (let number = 0; number < 10; number++) {
    add(`large_${number}.txt`, `export const answer = ${number}\n`.repeat(853))
    for (let n = 0; n < 1000; n++) add(`thousand_${number}/file_${n}.ts`, `export const value${n} = ${n}\n`)
  }
  for (let n = 0; n < files; n++) {
    const text = `// File ${n}\n${`export function work${n}(input: string): string {\n  return input\n}\n`.repeat(5)}`
    add(`src/module_${n % 500}/file_${n}.ts`, n % 1000 === 7 ? `${text}// needle\n` : text)
  }
  git(path, ['fast-import', '--quiet', '--force'], `${parts.join('')}\n`)
}

type Json = { result: { id: string; status: string; error: unknown; hits: unknown[] } }

async function measure(): Promise<boolean> {
  const path = join(folder, 'code', 'large.git')
  build(path)
  const server = await atrium({ DATA_DIR: join(folder, 'repositories'), REPOSITORY_DIRS: join(folder, 'code') })
  try {
    const { session, workspaceId } = await atriumPerson(server.base, 20)
    const call = async (address: string, body?: object): Promise<Json> => {
      const sent = body && { method: 'POST', body: JSON.stringify(body) }
      const headers = { ...session, ...(body && { 'content-type': 'application/json' }) }
      const answer = await fetch(`${server.base}/v1/repositories${address}`, { ...sent, headers })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${address} was answered with ${answer.status}: ${text}`)
      return JSON.parse(text) as Json
    }
    const { result } = await call('', { workspaceId, url: 'large.git', provider: 'local' })
    const at = `/${workspaceId}/${result.id}`
    const began = performance.now()
    for (;;) {
      const { status, error } = (await call(at)).result
      if (status === 'ready') break
      if (error) throw new Error(JSON.stringify(error))
      await new Promise(resolve => setTimeout(resolve, 100))
    }
    console.log(`  first sync of ${files} files: ${Math.round(performance.now() - began)} ms`)
    const perSecond = async (addresses: string[]) => {
      for (const address of addresses) await call(address)
      const requests = addresses.map(address => ({ path: `/v1/repositories${address}`, headers: session }))
      const round = await drive(server.base, requests, { seconds, connections: together })
      if (round.failed > 0) throw new Error(`${round.failed} requests failed`)
      return Math.round(round.perSecond)
    }
    const numbers = Array.from({ length: 10 }, (_, index) => index)
    const read = await perSecond(numbers.map(number => `${at}/contents?path=large_${number}.txt`))
    const listed = await perSecond(numbers.map(number => `${at}/tree?path=thousand_${number}`))
    const times = { ours: [] as number[], git: [] as number[] }
    for (let round = 0; round < greps; round++) {
      const q = 'needle'
      const one = performance.now()
      git(path, ['grep', '-n', '--column', '-I', '-F', '-e', q, 'main'])
      const two = performance.now()
      const { hits } = (await call(`${at}/grep?q=${q}&limit=500`)).result
      times.git.push(two - one)
      times.ours.push(performance.now() - two)
      if (hits.length !== Math.ceil((files - 7) / 1000)) throw new Error(`${hits.length} hits`)
    }
    const middle = (all: number[]) => Math.round(all.sort((a, b) => a - b)[Math.floor(greps / 2)] ?? 0)
    const [ours, alone] = [middle(times.ours), middle(times.git)]
    console.log(`  files of 20 KiB a second: ${read} (at least ${leastFiles})`)
    console.log(`  folders of 1,000 entries a second: ${listed} (at least ${leastTrees})`)
    console.log(`  grep over ${files} files: ${ours} ms, git alone ${alone} ms (at most ${mostTimesGit} times)`)
    return read >= leastFiles && listed >= leastTrees && ours <= alone * mostTimesGit
  } finally {
    await server.stop()
    removeFolder()
  }
}

if (!(await measure())) process.exitCode = 1
