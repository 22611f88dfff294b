// Loaded before the service and before the build: both then have the suite's own area, and the service serves that build.
import { registerHooks } from 'node:module'

/** Whose import is led elsewhere, and to which file. */
const instead: Readonly<Record<string, readonly [string, string]>> = {
  './registry.ts': ['/src/operations.ts', '../../../test/example/registry.ts'],
  './areas.ts': ['/src/server/start.ts', './areas.ts'],
  './doors/console.ts': ['/src/server/app.ts', './console.ts'],
}

registerHooks({
  resolve(specifier, context, next) {
    const [by, file] = instead[specifier] ?? []
    const isMeant = by !== undefined && file !== undefined && context.parentURL?.endsWith(by)
    return next(isMeant ? new URL(file, import.meta.url).href : specifier, context)
  },
})
