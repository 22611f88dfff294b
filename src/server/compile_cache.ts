// What Node has compiled once is kept beside the packages; where nothing can be written there, the start is merely slower.
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

export function keepCompiled(): void {
  enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/atrium'))
}
