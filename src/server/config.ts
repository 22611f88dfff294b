// The configuration: one table of environment variables, read once; a wrong value stops the start with one line.
import { isAbsolute, resolve } from 'node:path'
import ipaddr from 'ipaddr.js'
import { type BillingProvider, billingProviders } from '../contract/plans.ts'
import { isAddressRange } from '../kit/addresses.ts'
import { isSigningSecret } from '../kit/webhook_signing.ts'

/** Said to the operator as it stands, without a stack. */
export class StartError extends Error {}

type Variable<T> = { help: string; secret?: true; read: (text: string | undefined, name: string) => T }

function wrong(name: string, expected: string): StartError {
  return new StartError(`${name} must be ${expected}; correct it or leave it out.`)
}

function text(fallback: string): Variable<string>['read'] {
  return value => value ?? fallback
}

const optional: Variable<string | undefined>['read'] = value => value

function whole(fallback: number, least: number, most: number): Variable<number>['read'] {
  return (value, name) => {
    if (value === undefined) return fallback
    const number = Number(value)
    if (!/^\d+$/.test(value) || number < least || number > most) {
      throw wrong(name, `a whole number from ${least} to ${most}`)
    }
    return number
  }
}

function share(fallback: number): Variable<number>['read'] {
  return (value, name) => {
    const number = Number(value ?? fallback)
    if (!(number >= 0 && number <= 1)) throw wrong(name, 'a number from 0 to 1')
    return number
  }
}

function oneOf<const V extends readonly string[]>(values: V, fallback: V[number]): Variable<V[number]>['read'] {
  return (value, name) => {
    if (value === undefined) return fallback
    if (!values.includes(value)) throw wrong(name, `one of ${values.join(', ')}`)
    return value
  }
}

function url(...protocols: string[]): Variable<string | undefined>['read'] {
  return (value, name) => {
    if (value === undefined) return undefined
    if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol)) {
      throw wrong(name, `an address that begins with ${protocols.map(protocol => `${protocol}//`).join(' or ')}`)
    }
    return value
  }
}

function words(value: string | undefined): string[] {
  return (value ?? '').split(/[\s,]+/).filter(Boolean)
}

const addressRanges: Variable<string[]>['read'] = (value, name) => {
  const ranges = words(value)
  if (!ranges.every(isAddressRange)) throw wrong(name, 'a list of IP addresses or ranges such as 10.0.0.0/8')
  return ranges
}

function paths(what: string): Variable<string[]>['read'] {
  return (value, name) => {
    const list = words(value)
    if (!list.every(isAbsolute)) throw wrong(name, `a list of ${what}, each from the root on`)
    return list
  }
}

const providers: Variable<BillingProvider[]>['read'] = (value, name) => {
  const list = words(value)
  const isProvider = (word: string): word is BillingProvider => billingProviders.some(one => one === word)
  if (!list.every(isProvider)) throw wrong(name, `a list of ${billingProviders.join(', ')}`)
  return list.filter(isProvider)
}

const origins: Variable<string[]>['read'] = (value, name) => {
  const list = words(value)
  for (const origin of list) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin) {
      throw wrong(name, 'a list of origins such as https://app.example.com, without a path')
    }
  }
  return list
}

export const variables = {
  PORT: { help: 'port to listen on', read: whole(3000, 0, 65535) },
  HOST: { help: 'address to listen on', read: text('127.0.0.1') },
  PUBLIC_URL: { help: 'address that people and links use', read: url('http:', 'https:') },
  DATA_DIR: { help: 'directory of the embedded database and of the secret key', read: text('./data') },
  DATABASE_URL: {
    help: 'PostgreSQL 15 or later; default: the embedded database',
    secret: true,
    read: url('postgres:', 'postgresql:'),
  },
  REDIS_URL: {
    help: 'shares rate limits between processes; default: each counts alone',
    secret: true,
    read: url('redis:', 'rediss:'),
  },
  CLICKHOUSE_URL: {
    help: 'keeps the rows of datasets, http://user:password@host:8123/database; default: the database does',
    secret: true,
    read: url('http:', 'https:'),
  },
  SMTP_URL: {
    help: 'mail server; default: mails are shown on /dev/mailbox',
    secret: true,
    read: url('smtp:', 'smtps:'),
  },
  MAIL_FROM: { help: 'sender of mails', read: text('Atrium <atrium@localhost>') },
  SECRET_KEY: { help: 'at least 32 characters; default: created once in DATA_DIR', secret: true, read: optional },
  SECRET_KEY_OLD: { help: 'the previous key, for atrium secrets rotate', secret: true, read: optional },
  LEDGER_HEADS: {
    help: "file to which the signed head of the instance's ledger is written each day; default: none",
    read: optional,
  },
  TURNSTILE_SITE_KEY: { help: 'bot check on sign-up: public key', read: optional },
  TURNSTILE_SECRET_KEY: { help: 'bot check on sign-up: secret key', secret: true, read: optional },
  TURNSTILE_VERIFY_URL: { help: 'where the bot check is verified', read: url('http:', 'https:') },
  REQUIRE_VERIFIED_EMAIL: {
    help: 'refuse nearly all operations until the e-mail address is verified',
    read: oneOf(['true', 'false'], 'false'),
  },
  SIGNUPS: { help: 'who may sign up', read: oneOf(['open', 'invite', 'closed'], 'open') },
  ANONYMOUS_RATE_LIMIT: { help: 'requests a minute per source without a credential', read: whole(300, 1, 1e6) },
  RATE_LIMIT: { help: 'requests a minute per credential', read: whole(5000, 1, 1e6) },
  MCP_RATE_LIMIT: { help: 'MCP requests a minute per credential', read: whole(600, 1, 1e6) },
  TRUSTED_PROXIES: { help: 'proxies whose X-Forwarded-For header is trusted', read: addressRanges },
  CORS_ORIGINS: { help: 'origins that may call with a key or token', read: origins },
  OAUTH_DYNAMIC_REGISTRATION: {
    help: 'let public clients register themselves',
    read: oneOf(['true', 'false'], 'true'),
  },
  OUTBOUND_ALLOW: { help: 'private addresses or ranges that may be called, also over http', read: addressRanges },
  OUTBOUND_CA: { help: 'file of certificates (PEM) to trust in calls to the outside', read: optional },
  DOCKER_SOCKETS: { help: 'sockets of Docker engines that may be read: /var/run/docker.sock', read: paths('sockets') },
  REPOSITORY_DIRS: {
    help: 'directories below which repositories of this machine may be read',
    read: paths('directories'),
  },
  REPOSITORY_MAX_MIB: { help: 'the largest mirror of a repository, in MiB', read: whole(2048, 1, 1e6) },
  BILLING_PROVIDERS: {
    help: 'how workspaces may pay: none, manual, stripe, custom; the first is what they begin with; default: nobody pays',
    read: providers,
  },
  PLANS_FILE: { help: 'file of the plans (JSON); default: the one that comes along', read: optional },
  STRIPE_SECRET_KEY: { help: 'key of the Stripe account that is paid', secret: true, read: optional },
  STRIPE_WEBHOOK_SECRET: { help: 'what Stripe signs its webhooks with', secret: true, read: optional },
  STRIPE_API_URL: { help: 'where Stripe is called; default: https://api.stripe.com', read: url('http:', 'https:') },
  CUSTOM_BILLING_URL: { help: 'address of your own payment service', read: url('http:', 'https:') },
  CUSTOM_BILLING_SECRET: {
    help: 'what it and Atrium sign with: whsec_ and a key in base64',
    secret: true,
    read: optional,
  },
  METRICS_TOKEN: { help: 'bearer token for /metrics', secret: true, read: optional },
  MAX_REQUESTS_IN_FLIGHT: {
    help: 'requests in flight per process; more are refused with 503',
    read: whole(6000, 1, 1e6),
  },
  MAX_EVENT_LOOP_DELAY: {
    help: 'event loop delay (ms) above which some requests are refused with 503',
    read: whole(1000, 10, 60_000),
  },
  MAX_BYTES_UNSENT: {
    help: 'unsent bytes per process above which the slowest connections are closed',
    read: whole(128 * 1024 * 1024, 1024 * 1024, 1e12),
  },
  REQUEST_TIMEOUT: { help: 'seconds within which a request must arrive completely', read: whole(60, 1, 3600) },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    help: 'OpenTelemetry collector for traces; default: no traces',
    read: url('http:', 'https:'),
  },
  OTEL_EXPORTER_OTLP_HEADERS: { help: 'sent to the collector: key=value,…', secret: true, read: optional },
  OTEL_SERVICE_NAME: { help: 'name of this service in traces', read: text('atrium') },
  OTEL_TRACES_SAMPLER_ARG: { help: 'share of requests that are traced, 0 to 1', read: share(1) },
  WORKERS: { help: 'processes to run; more than 1 only with DATABASE_URL and REDIS_URL', read: whole(1, 1, 64) },
  LOG_LEVEL: {
    help: 'how much is logged',
    read: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'warn'),
  },
} satisfies Record<string, Variable<unknown>>

type Values = { [K in keyof typeof variables]: ReturnType<(typeof variables)[K]['read']> }

export type Config = Omit<Values, 'PUBLIC_URL' | 'SECRET_KEY'> & {
  PUBLIC_URL: string
  SECRET_KEY: string
  /** Both the address listened on and the public one are of this machine only. */
  isLoopback: boolean
}

export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const entries = Object.entries(variables).map(([name, variable]) => {
    const value = environment[name]?.trim()
    return [name, variable.read(value === '' ? undefined : value, name)]
  })
  const values: Values = Object.fromEntries(entries)
  const publicUrl = (values.PUBLIC_URL ?? `http://127.0.0.1:${values.PORT}`).replace(/\/+$/, '')
  const isPublicLoopback = isLoopbackHost(new URL(publicUrl).hostname)
  const isLoopback = isPublicLoopback && isLoopbackHost(values.HOST)
  if (new URL(publicUrl).pathname !== '/') throw wrong('PUBLIC_URL', 'an origin without a path')
  if (!isPublicLoopback && !values.SMTP_URL) {
    throw new StartError('PUBLIC_URL is public but SMTP_URL is not set: codes could not be mailed. Set SMTP_URL.')
  }
  if (values.WORKERS > 1 && !values.DATABASE_URL) {
    throw new StartError('WORKERS above 1 needs DATABASE_URL: the embedded database has one process only.')
  }
  if (values.WORKERS > 1 && !values.REDIS_URL) {
    throw new StartError('WORKERS above 1 needs REDIS_URL: each process would count rate limits for itself.')
  }
  if (Boolean(values.TURNSTILE_SITE_KEY) !== Boolean(values.TURNSTILE_SECRET_KEY)) {
    throw new StartError('TURNSTILE_SITE_KEY and TURNSTILE_SECRET_KEY go together; set both or neither.')
  }
  if (values.BILLING_PROVIDERS.includes('stripe') && !(values.STRIPE_SECRET_KEY && values.STRIPE_WEBHOOK_SECRET)) {
    throw new StartError('BILLING_PROVIDERS has stripe: set STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET too.')
  }
  if (values.BILLING_PROVIDERS.includes('custom') && !(values.CUSTOM_BILLING_URL && values.CUSTOM_BILLING_SECRET)) {
    throw new StartError('BILLING_PROVIDERS has custom: set CUSTOM_BILLING_URL and CUSTOM_BILLING_SECRET too.')
  }
  if (values.CUSTOM_BILLING_SECRET !== undefined && !isSigningSecret(values.CUSTOM_BILLING_SECRET)) {
    throw wrong('CUSTOM_BILLING_SECRET', 'whsec_ and at least 24 bytes in base64')
  }
  if (values.STRIPE_API_URL !== undefined && new URL(values.STRIPE_API_URL).pathname !== '/') {
    throw wrong('STRIPE_API_URL', 'an address without a path')
  }
  if (values.SECRET_KEY !== undefined && values.SECRET_KEY.length < 32) {
    throw wrong('SECRET_KEY', 'at least 32 characters')
  }
  const SECRET_KEY = values.SECRET_KEY ?? ''
  return { ...values, DATA_DIR: resolve(values.DATA_DIR), PUBLIC_URL: publicUrl, SECRET_KEY, isLoopback }
}

export function isLoopbackHost(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '')
  if (bare === 'localhost') return true
  return ipaddr.isValid(bare) && ipaddr.process(bare).range() === 'loopback'
}
