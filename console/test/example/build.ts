// Builds the console with the suite's own area; and, beside it, the page that shows its parts one by one.
import { join } from 'node:path'
import { build, type InlineConfig } from 'vite'
import config from '../../vite.config.ts'
import { built } from './built.ts'

const root = join(import.meta.dirname, '../..')

/** Each by itself: what both draw would else be put into files that the console loads at once. */
async function make(input: string, own: InlineConfig, outDir: string): Promise<void> {
  const rolldownOptions = { ...config.build?.rolldownOptions, input }
  await build({
    ...config,
    ...own,
    configFile: false,
    logLevel: 'warn',
    build: { ...config.build, outDir, emptyOutDir: true, rolldownOptions },
  })
}

await make(join(root, 'index.html'), {}, built)
await make(join(root, 'test/stories/stories.html'), { base: '/stories/' }, join(built, 'stories'))
