// Where the service finds its areas: the product's, and the suite's own.
import { join } from 'node:path'
import { areaFolders as product } from '../../../src/server/areas.ts'

export { loadAreas } from '../../../src/server/areas.ts'

export const areaFolders = [...product, join(import.meta.dirname, '../../../test/example/areas')]
