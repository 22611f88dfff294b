import { defineConfig } from 'vitest/config'
import { leftOut } from '../../scripts/left_out.ts'

export default defineConfig({
  test: {
    include: ['test/crash/*.crash.ts'],
    globalSetup: ['test/helpers/setup.ts'],
    testTimeout: 3 * 3_600_000,
    // Times to die are chosen; two services at once would blur them.
    fileParallelism: false,
    reporters: ['default', leftOut],
  },
})
