// Builds the console into console/dist; in development it passes calls on to a running service.
import { defineConfig } from 'vite'
import { contract } from './contract_plugin.ts'
import { componentStyles } from './styles_plugin.ts'

const service = process.env.ATRIUM_URL ?? 'http://127.0.0.1:3000'
const passedOn = ['/v1', '/docs', '/dev', '/oauth', '/mcp', '/openapi.json', '/.well-known']

/** Components of Mantine, with their styles. */
const components = (names: string) => `@mantine/core/(esm/components|styles)/(${names})[/.]`

/** What only lists and forms need. */
const inputs = new RegExp(
  `${components(
    'Combobox|Autocomplete|Select|MultiSelect|TagsInput|ColorInput|ColorPicker|ColorSwatch|JsonInput|NumberInput|Pagination|Checkbox|CheckboxIndicator|PillsInput|Pill|SegmentedControl|InlineInput|Switch|Tabs|Breadcrumbs|Table|Textarea|Code|CopyButton|Kbd|NativeSelect|ScrollArea|FloatingIndicator|Grid|Progress|FileButton',
  )}|react-number-format|react-textarea-autosize|use-composed-ref|use-latest`,
)

/** What opens above a page: menus and hints after log-in, dialogs when one is opened. */
const floating = new RegExp(`${components('Menu|Popover|Tooltip|HoverCard|Floating')}|@floating-ui|tabbable`)
const dialogs = new RegExp(
  `${components('Modal|ModalBase|Drawer|Overlay')}|react-remove-scroll|use-sidecar|use-callback-ref`,
)

/** What surrounds the pages after log-in. */
const frame = new RegExp(components('Burger|List|ThemeIcon|SimpleGrid|Badge|Divider'))

/** What draws texts, changes, charts and graphs: loaded where there is one. */
const drawing =
  /node_modules\/(marked|croner|@xyflow|elkjs|zustand|classcat|lowlight|highlight\.js|diff|recharts|@mantine\/charts|@tanstack\/(react-virtual|virtual-core)|d3-[\w-]+|victory-vendor|decimal\.js-light|@reduxjs|redux|reselect|immer|react-redux|es-toolkit|eventemitter3|internmap|react-is|tiny-invariant|fault|format|devlop|@types)\//

/** What every page needs; then what the shell and the start of a workspace need. */
const everywhere = /console\/src\/(parts\/(page|failure|links|toast|logo)\.|(settings|store|lazily)\.)/
const inside =
  /console\/src\/(live\.|parts\/(moment|in_sight)\.|audit\/(sentence|changes)|table\/(references|look)\.|shell\/places\.)/

export default defineConfig({
  root: import.meta.dirname,
  plugins: [contract(), componentStyles()],
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
      // Contracts are declarations: what is imported for its types alone must not bring the registry along.
      treeshake: {
        moduleSideEffects: id => !/\/src\/(areas|contract|client|registry|operations)\b/.test(id) || inConsole(id),
      },
      output: {
        codeSplitting: {
          // Few files that stay the same from release to release, instead of sixty small ones at the first visit.
          groups: [
            {
              name: 'vendor',
              test: id =>
                id.includes('node_modules') && ![inputs, drawing, floating, dialogs, frame].some(part => part.test(id)),
              priority: 3,
            },
            { name: 'frame', test: id => floating.test(id) || frame.test(id), priority: 3 },
            { name: 'dialogs', test: dialogs, priority: 3 },
            { name: 'inputs', test: inputs, priority: 2 },
            { name: 'parts', test: everywhere, priority: 2 },
            { name: 'inside', test: inside, priority: 1 },
            { name: 'form', test: /console\/src\/form\/(?!rich|cron|guard)/, priority: 2 },
            { name: 'records', test: /console\/src\/(form|table|record|parts)\//, minShareCount: 2, priority: 1 },
          ],
        },
      },
    },
  },
})

function inConsole(id: string): boolean {
  return id.includes('/console/src/') || id.startsWith('\0virtual:')
}
