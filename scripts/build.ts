// Makes dist/, which the package carries: JavaScript, type declarations, migrations and the OpenAPI document.
import { execFileSync } from 'node:child_process'
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openapi } from '../src/contract/openapi.ts'
import type { Operations } from '../src/contract/operation.ts'
import { areas, operations } from '../src/operations.ts'
import { routesModule, surfaceDeclarations } from './client_surface.ts'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')

rmSync(dist, { recursive: true, force: true })
execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', join(root, 'tsconfig.build.json')], { stdio: 'inherit' })
for (const file of globSync('**/*.{sql,json}', { cwd: join(root, 'src') })) {
  cpSync(join(root, 'src', file), join(dist, file))
}
writeFileSync(join(dist, 'openapi.json'), JSON.stringify(openapi(areas, 'http://127.0.0.1:3000')))
writeFileSync(join(dist, 'client/routes.js'), routesModule(operations as Operations))
writeFileSync(
  join(dist, 'client/routes.d.ts'),
  "import type { Route } from './request.js'\nexport declare const routes: Readonly<Record<string, Route>>\n",
)
writeFileSync(join(dist, 'client/surface.js'), 'export {}\n')
writeFileSync(join(dist, 'client/surface.d.ts'), surfaceDeclarations(operations as Operations))
// Compilers before 5.7 do not find a declaration by the name of its source.
for (const file of globSync('client/*.d.ts', { cwd: dist })) {
  const path = join(dist, file)
  writeFileSync(path, readFileSync(path, 'utf8').replace(/(from '\.\.?\/[\w/]+)\.ts'/g, "$1.js'"))
}
execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', join(root, 'scripts/prepare_database.ts')], {
  stdio: 'inherit',
})
