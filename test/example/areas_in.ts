// Where the areas of a test's platform lie: the product's, and in the walking suites also the suite's own example.
import { join } from 'node:path'

/** Set by vitest.config.ts for the suites that walk the registry. */
export const hasExample = process.env.ATRIUM_TEST_EXAMPLE === 'true'

/** There are seventy scopes and none for examples: the area goes by those of another. */
export const scopesOfArea = (area: string) => (area === 'examples' ? 'issues' : area)

const product = join(import.meta.dirname, '../../src/areas')

export const areasIn = hasExample ? [product, join(import.meta.dirname, 'areas')] : [product]
