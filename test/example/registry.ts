// The registry of the walking suites: the product's own, and one line more. See vitest.config.ts.
export * from '../../src/registry.ts'
export { examples } from './areas/examples/contract.ts'
