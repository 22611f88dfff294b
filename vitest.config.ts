import { defineConfig } from 'vitest/config'
import { leftOut } from './scripts/left_out.ts'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/helpers/setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Each file boots a database of its own; more at once than cores only makes them wait.
    maxWorkers: 2,
    reporters: ['default', leftOut],
  },
})
