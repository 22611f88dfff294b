// Makes dist/, which the package carries: JavaScript, type declarations, migrations and the OpenAPI document.
import { execFileSync } from 'node:child_process'
import { cpSync, globSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openapi } from '../src/contract/openapi.ts'
import { operations } from '../src/operations.ts'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')

rmSync(dist, { recursive: true, force: true })
execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', join(root, 'tsconfig.build.json')], { stdio: 'inherit' })
for (const file of globSync('**/*.sql', { cwd: join(root, 'src') })) {
  cpSync(join(root, 'src', file), join(dist, file))
}
writeFileSync(join(dist, 'openapi.json'), JSON.stringify(openapi(operations, 'http://127.0.0.1:3000')))
