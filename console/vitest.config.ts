// The console's tests: real browsers on one real service, each person in a workspace of their own.
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/helpers/setup.ts'],
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // In CI other suites run beside it.
    maxWorkers: process.env.CI ? 1 : 2,
    retry: process.env.CI ? 2 : 0,
  },
})
