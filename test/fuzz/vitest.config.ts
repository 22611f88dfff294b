import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/fuzz/*.fuzz.ts'],
    globalSetup: ['test/helpers/setup.ts'],
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
})
