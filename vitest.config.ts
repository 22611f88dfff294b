import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { leftOut } from './scripts/left_out.ts'

/** What must hold for every operation and every record: walked over the registry, and over an area of the suite's own. */
const walking = [
  'access',
  'access_http',
  'laws',
  'ledger',
  'permissions',
  'reach',
  'records',
  'search',
  'surfaces',
].map(name => `test/${name}.test.ts`)

/**
 * What no engine has a part in: surfaces, protocols, documents, git. CI runs it once, on PostgreSQL, where platforms start
 * fastest; `npm test` runs it on whichever engine there is.
 */
const ofNoEngine = [
  'src/{cli,client}/**/*.test.ts',
  'test/{autofixes,automations,fuzz,integrations,mcp,oauth,pages,repositories,skills,telemetry}/**/*.test.ts',
  'test/{boundaries,byte_cache,cel,console,hostile,limits,lists,locks,metrics,ratings,sealed,tampering}.test.ts',
  'test/{access_http,command_line,document_tools,examples,formats,headers,http_manners,laws,mail_text,names,openapi}.test.ts',
  'test/{outbound,outbound_connections,patterns,permissions,redaction,reference,statements,surfaces,tracing}.test.ts',
  'test/threads/kinds.test.ts',
  'test/cloud/{docker,kubernetes,kubernetes_faults,kubernetes_rights}.test.ts',
  // Services of their own, which have the embedded engine on either.
  'test/pressure.test.ts',
  // What an archive may hold, and who may claim what; that it goes out and in is tested on both.
  'test/leaving/{claims,figures,hostile,limits,other_versions,placeholders}.test.ts',
]
/**
 * Areas that ask no more of an engine than others do: CI tests them on PostgreSQL, and on the embedded engine by what
 * walks over every operation and record.
 */
const ofUsualAreas = ['src/areas/!(analytics|audit_logs|automations|datasets|integrations|threads)/**/*.test.ts']
/** What always starts the embedded engine, whichever the tests have. */
const ofEmbedded = ['test/{key_file,package}.test.ts']
const { ENGINE_TESTS_ONLY, TEST_DATABASE_URL } = process.env
const leftToOthers = [
  ...(ENGINE_TESTS_ONLY ? [...ofNoEngine, ...ofUsualAreas] : []),
  ...(TEST_DATABASE_URL ? ofEmbedded : []),
]

/**
 * CI names the tests that did not pass the first time, in its last lines; elsewhere a failure is a failure. Browsers run
 * beside the suite there: a start that takes a second alone may have to wait for them.
 */
const limits = process.env.CI
  ? { testTimeout: 120_000, hookTimeout: 300_000, retry: 2 }
  : { testTimeout: 60_000, hookTimeout: 60_000, retry: 0 }

export default defineConfig({
  test: {
    globalSetup: ['test/helpers/setup.ts'],
    // Each file boots a database of its own; more at once than cores only makes them wait.
    maxWorkers: 2,
    // Engines of tests live for seconds: V8 would spend more on making their code fast than they run.
    execArgv: ['--liftoff-only'],
    reporters: ['default', leftOut],
    projects: [
      {
        test: {
          name: 'product',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...walking, 'test/example/**', ...leftToOthers],
          ...limits,
        },
      },
      {
        resolve: { alias: { './registry.ts': join(import.meta.dirname, 'test/example/registry.ts') } },
        test: {
          name: 'walking',
          include: [...walking, 'test/example/**/*.test.ts'],
          exclude: leftToOthers,
          env: { ATRIUM_TEST_EXAMPLE: 'true' },
          ...limits,
        },
      },
    ],
  },
})
