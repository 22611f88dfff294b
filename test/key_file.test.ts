// The key beside the data: whole or not there, never too short, and for the service alone.
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readConfig } from '../src/server/config.ts'
import { keptKey, keyFileIn, secretKey } from '../src/server/upkeep/key_file.ts'

const root = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'atrium-key-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let count = 0
function newDirectory(): string {
  const path = join(folder, `data${count++}`)
  mkdirSync(path)
  return path
}

const keyOf = (DATA_DIR: string) => secretKey(readConfig({ DATA_DIR }))

describe('the key beside the data', () => {
  it('is made once, for nobody else to read, and nothing is left beside it', () => {
    const path = newDirectory()
    const key = keyOf(path)
    expect(key.length).toBeGreaterThanOrEqual(32)
    expect(keyOf(path)).toBe(key)
    expect(statSync(keyFileIn(path)).mode & 0o777).toBe(0o600)
    expect(readdirSync(path)).toEqual(['secret_key'])
  })

  it('is not there at all where the disk was full', () => {
    const path = newDirectory()
    const script = `
      import { keptKey } from ${JSON.stringify(join(root, 'src/server/upkeep/key_file.ts'))}
      keptKey(${JSON.stringify(keyFileIn(path))})`
    // No file may grow by a single byte; the process dies or fails in the middle of the write.
    const full = spawnSync('sh', [
      '-c',
      'ulimit -c 0; ulimit -f 0; exec "$0" --disable-warning=ExperimentalWarning --input-type=module -e "$1"',
      process.execPath,
      script,
    ])
    expect(full.status).not.toBe(0)
    expect(existsSync(keyFileIn(path))).toBe(false)
    expect(keyOf(path).length).toBeGreaterThanOrEqual(32)
  })

  it.each([0, 1, 31])('stops the start where the file holds %s bytes, and stays as it is', bytes => {
    const path = newDirectory()
    writeFileSync(keyFileIn(path), 'k'.repeat(bytes), { mode: 0o600 })
    expect(() => keyOf(path)).toThrow(new RegExp(`secret_key holds ${bytes} bytes.*put the original key back`))
    expect(readFileSync(keyFileIn(path), 'utf8')).toBe('k'.repeat(bytes))
  })

  it.each([0o644, 0o640, 0o620, 0o604])('stops the start where others may use it (mode %o)', mode => {
    const path = newDirectory()
    const key = keyOf(path)
    chmodSync(keyFileIn(path), mode)
    expect(() => keyOf(path)).toThrow(`run: chmod 600 ${keyFileIn(path)}`)
    chmodSync(keyFileIn(path), 0o600)
    expect(keyOf(path)).toBe(key)
  })

  it('is the same for processes that begin at the same moment', () => {
    const path = keyFileIn(newDirectory())
    const script = `
      import { spawn } from 'node:child_process'
      const source = process.argv[1]
      const keys = await Promise.all(Array.from({ length: 4 }, () => new Promise(resolve => {
        const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', source])
        let text = ''
        child.stdout.on('data', chunk => { text += chunk })
        child.on('close', () => resolve(text))
      })))
      process.stdout.write(JSON.stringify(keys))`
    const source = `
      import { keptKey } from ${JSON.stringify(join(root, 'src/server/upkeep/key_file.ts'))}
      process.stdout.write(keptKey(${JSON.stringify(path)}))`
    const ran = spawnSync(process.execPath, ['--input-type=module', '-e', script, source], { encoding: 'utf8' })
    expect(JSON.parse(ran.stdout)).toEqual(Array.from({ length: 4 }, () => keptKey(path)))
  })

  it('is written in one place', () => {
    const writers = globSync('src/**/*.ts', { cwd: root }).filter(file => {
      const text = readFileSync(join(root, file), 'utf8')
      return /secret_key\b/.test(text) && /\b(writeFile|createWriteStream|appendFile)/.test(text)
    })
    expect(writers).toEqual(['src/server/upkeep/key_file.ts'])
  })
})
