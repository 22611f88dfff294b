// Better Auth as its documentation sets it up: e-mail and password, API keys, PostgreSQL through `pg`.
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

/** Packages live in a folder of the bench's own. */
const resolve = createRequire(`${process.env.PACKAGES}/`).resolve
const load = name => import(pathToFileURL(resolve(name)).href)
const { betterAuth } = await load('better-auth')
const { toNodeHandler } = await load('better-auth/node')
const { getMigrations } = await load('better-auth/db/migration')
const { apiKey } = await load('@better-auth/api-key')
const { default: pg } = await load('pg')

const options = {
  baseURL: `http://127.0.0.1:${process.env.PORT}`,
  secret: 'a secret for the bench that is long enough to be taken',
  database: new pg.Pool({ connectionString: process.env.DATABASE_URL }),
  emailAndPassword: { enabled: true },
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  plugins: [apiKey({ rateLimit: { enabled: false }, enableSessionForAPIKeys: true })],
}
const { runMigrations } = await getMigrations(options)
await runMigrations()
createServer(toNodeHandler(betterAuth(options))).listen(Number(process.env.PORT), '127.0.0.1')
