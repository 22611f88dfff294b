// Builds the console into console/dist; in development it passes calls on to a running service.
import { defineConfig } from 'vite'

const service = process.env.ATRIUM_URL ?? 'http://127.0.0.1:3000'
const passedOn = ['/v1', '/docs', '/dev', '/oauth', '/mcp', '/openapi.json', '/.well-known']

export default defineConfig({
  root: import.meta.dirname,
  server: { proxy: Object.fromEntries(passedOn.map(path => [path, { target: service, changeOrigin: false }])) },
  build: {
    target: 'es2023',
    // Inlined files would be `data:` addresses, which the policy forbids for scripts and fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 800,
    rolldownOptions: {
      // Mantine marks its files "use client", which says nothing to a bundle for browsers.
      onLog: (level, log, tell) => log.code === 'MODULE_LEVEL_DIRECTIVE' || tell(level, log),
    },
  },
})
