// Where the console of the tests is built; what ships lies in console/dist.
import { join } from 'node:path'

export const built = join(import.meta.dirname, '../../dist-test')
