// Every operation of the served document through the command line, let in and refused, against a running service.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Ajv from 'ajv/dist/2020.js'
import type { TSchema } from 'typebox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { wordsIn } from '../src/cli/aliases.ts'
import { type Document, digestOf } from '../src/cli/digest.ts'
import { flagName, reserved } from '../src/cli/fields.ts'
import type { Content } from '../src/contract/content.ts'
import { example } from '../src/contract/examples.ts'
import { type Operation, workspaceIn } from '../src/contract/operation.ts'
import { type Role, roleScopes } from '../src/contract/permissions.ts'
import type { Scope } from '../src/contract/scopes.ts'
import { operation as lookUp, operationIds } from '../src/operations.ts'
import { type CallRow, calls, signedElsewhere, type World, world } from './calls.ts'
import { platform, type TestCaller, type TestPlatform } from './helpers/platform.ts'
import { bundledDocument, commandLine, failureIn, listen, type Ran } from './helpers/terminal.ts'

let p: TestPlatform
let here: World
let line: Awaited<ReturnType<typeof commandLine>>
let served: Document

beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
  const baseUrl = await listen(p)
  served = (await (await fetch(`${baseUrl}/v1/openapi.json`)).json()) as Document
  line = await commandLine(baseUrl, served)
  here = await world(p)
})
afterAll(async () => {
  await p.close()
  await line.remove()
})

const operationOf = (id: string) => lookUp(id) as Operation
const rowOf = (id: string) => (calls as Record<string, CallRow>)[id] as CallRow

/** A stream goes on until somebody stops it. */
const isEndless = (id: string) => lookUp(id)?.produces?.includes('text/event-stream') ?? false

/** Path fields as words, the query and the body each as one JSON object. */
function wordsFor(id: string, input: Record<string, unknown>, isDotted: boolean): string[] {
  const operation = operationOf(id)
  const take = (names: object | undefined) => Object.keys(names ?? {}).filter(name => input[name] !== undefined)
  const of = (names: string[]) => JSON.stringify(Object.fromEntries(names.map(name => [name, input[name]])))
  const path = take(operation.path?.properties)
  const query = take(operation.query?.properties)
  const body = Object.keys(input).filter(name => !path.includes(name) && !query.includes(name))
  return [
    ...(isDotted ? [id] : id.split('.')),
    ...path.map(name => String(input[name])),
    ...(query.length > 0 ? ['--query', of(query)] : []),
    ...(operation.body && body.length > 0 ? ['--body', of(body)] : []),
    ...(operation.consumes ? ['--content', fileOf(input.content as Content)] : []),
    '--yes',
  ]
}

let files = 0

function fileOf({ kind, bytes }: Content): string {
  const path = join(line.folder, `content${files++}.${kind}`)
  writeFileSync(path, bytes)
  return `@${path}`
}

async function runAs(caller: TestCaller | null, words: string[]): Promise<Ran> {
  const name = caller?.headers['x-api-key'] ? 'ATRIUM_API_KEY' : 'ATRIUM_TOKEN'
  const stopAtOutput = isEndless(words[0] ?? '') || isEndless(words.slice(0, 2).join('.'))
  return await line.atrium(words, { env: caller ? { [name]: caller.token } : {}, stopAtOutput })
}

describe('every operation', () => {
  it('is a command, and nothing else is', async () => {
    const ids = digestOf(served, null).entries.map(({ id }) => id)
    expect(ids).toEqual([...operationIds].sort())
  })

  it.each(operationIds.filter(id => !signedElsewhere.includes(id)))('%s is let in', async id => {
    const operation = operationOf(id)
    const caller = operation.access === 'public' ? null : ((await rowOf(id).by?.(here)) ?? here.owner)
    const input = await rowOf(id).input(here, caller ?? here.owner)
    const ran = await runAs(caller, wordsFor(id, input, true))
    if (isEndless(id)) return expect([ran.code, failureIn(ran).kind]).toEqual([130, 'interrupted'])
    expect(ran.stderr).toBe('')
    expect(ran.code).toBe(0)
    if (!operation.produces) expect(JSON.parse(ran.stdout)).toBeTypeOf('object')
    expect(ran.stdout).not.toContain('"success":')
  })

  it.each(signedElsewhere)('%s is refused without its signature', async id => {
    const ran = await runAs(null, wordsFor(id, await rowOf(id).input(here, here.owner), false))
    expect(failureIn(ran)).toMatchObject({ code: 4, status: 401 })
  })

  it.each(operationIds.filter(id => operationOf(id).access !== 'public'))('%s is refused to nobody', async id => {
    const ran = await runAs(null, wordsFor(id, await rowOf(id).input(here, here.owner), false))
    expect(failureIn(ran)).toMatchObject({ code: 4, status: 401, next: 'Run: atrium login' })
    expect(ran.stdout).toBe('')
  })

  const roles: readonly Exclude<Role, 'owner'>[] = ['admin', 'member', 'viewer']
  const needed = (id: string) => operationOf(id).access as readonly Scope[]
  const cases = operationIds
    .filter(id => typeof operationOf(id).access !== 'string' && workspaceIn(operationOf(id)) !== null)
    .flatMap(id => roles.map(role => [id, role] as const))

  it.each(cases)('%s is for a %s what the role says', async (id, role) => {
    const input = await rowOf(id).input(here, here.owner)
    const workspaceId = String(input.workspaceId)
    const caller = workspaceId === here.workspaceId ? here[role] : await p.as(role, workspaceId)
    const ran = await runAs(caller, wordsFor(id, input, false))
    const isHeld = needed(id).every(scope => roleScopes[role].has(scope))
    const status = ran.code === 0 ? undefined : failureIn(ran).status
    // What the role holds is refused, at most, for a reason of the record itself.
    if (!isHeld) expect([ran.code, status]).toEqual([4, 403])
    else expect(failureOf(ran)).not.toBe('role')
  })
})

function fieldOf(operation: Operation, name: string): TSchema {
  const parts = [operation.path, operation.query, operation.body]
  return Object.assign({}, ...parts.map(part => part?.properties))[name] ?? {}
}

function failureOf(ran: Ran): unknown {
  if (ran.code === 0) return null
  return (failureIn(ran) as { metadata?: { reason?: string } }).metadata?.reason
}

describe('the flags of every operation', () => {
  const { entries } = digestOf(bundledDocument(), null)

  it.each(entries.map(entry => [entry.id, entry] as const))('%s has one per field, none twice', (_, entry) => {
    const flags = entry.fields.map(flagName)
    expect(new Set(flags).size).toBe(flags.length)
    expect(flags.filter(flag => reserved.has(flag))).toEqual([])
  })
})

describe('commands of our own', () => {
  it('take no name of an area', async () => {
    const help = (await line.atrium('--help')).stdout
    const own = help.slice(help.indexOf('Commands:'), help.indexOf('Everywhere:')).matchAll(/^ {2}(\w+) /gm)
    const areas = new Set(operationIds.map(id => id.split('.')[0]))
    expect([...own].map(([, name]) => name).filter(name => areas.has(name))).toEqual([])
  })
})

describe('help', () => {
  it('is as it was', async () => {
    const pages = [
      ['--help'],
      ['api_keys'],
      ['api_keys', 'list', '--help'],
      ['help', 'api_keys.post'],
      ['login', '--help'],
      ['help', 'exit-codes'],
    ]
    const texts = []
    for (const words of pages) {
      const { stdout, code } = await line.atrium(words, { env: { ATRIUM_BASE_URL: 'http://127.0.0.1:3000' } })
      expect(code).toBe(0)
      texts.push(`$ atrium ${words.join(' ')}\n${stdout}`)
    }
    await expect(texts.join('\n')).toMatchFileSnapshot(join(import.meta.dirname, 'snapshots/help.txt'))
  })

  it('is there for every operation', async () => {
    for (const id of operationIds) {
      const { stdout, code } = await line.atrium(['--offline', id, '--help'])
      expect(code).toBe(0)
      expect(stdout).toContain(`Usage: atrium ${id.replaceAll('.', ' ')}`)
    }
  })

  it.each(operationIds)('shows an example of %s that the service would take', async id => {
    const { stdout } = await line.atrium(['--offline', id, '--help'])
    const text = /^Example: +atrium (.*)$/m.exec(stdout)?.[1] ?? ''
    const operation = operationOf(id)
    const input = await rowOf(id).input(here, here.owner)
    const filled = text.replace(/<(\w+)>/g, (_, name: string) =>
      String(input[name] ?? example(fieldOf(operation, name))),
    )
    const words = wordsIn(filled).map(word => (word === '@file' ? `@${import.meta.filename}` : word))
    // Where the service can try it, --dry-run asks for that.
    const isTried = stdout.includes('--dryRun')
    const ran = await line.atrium([...words, isTried ? '--curl' : '--dry-run'], {
      env: { ATRIUM_WORKSPACE: here.workspaceId, ATRIUM_TOKEN: here.owner.token },
    })
    expect(failureOf(ran)).toBe(null)
    const { body = {} } = isTried ? {} : JSON.parse(ran.stdout)
    const isValid = new Ajv.default({ strict: false, formats: { email: true, 'date-time': true } }).compile(
      operation.body ?? {},
    )
    expect(isValid(body), JSON.stringify(isValid.errors)).toBe(true)
    // Somebody who copies it gives nothing away.
    expect(text).not.toMatch(/ owner\b/)
    if (id.endsWith('invites.post')) expect(text).toContain('--email')
  })
})
