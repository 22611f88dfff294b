// The commands that are no operations: login, profiles, the document, completion, the MCP bridge.
import type { Command } from 'commander'
import { near } from '../contract/near.ts'
import { readAliases, saveAliases, wordsIn } from './aliases.ts'
import { actionOf } from './digest.ts'
import { usage } from './failures.ts'
import { exitCodeHelp } from './help.ts'
import { type OutputOptions, print } from './output.ts'
import { checkedBaseUrl, readCredentials, readProfiles, requireProfile, saveProfiles } from './profiles.ts'
import { find, type Session } from './session.ts'

type Add = (name: string, summary: string) => Command

export function addOwn(program: Command, session: Session): void {
  const add: Add = (name, summary) => {
    const text = `${summary[0]?.toUpperCase()}${summary.slice(1)}.`
    return program.command(name).summary(summary).description(text).helpCommand(false)
  }
  addAccount(add, session)
  addProfiles(add('profile', 'list, choose and change stored logins'), session)
  addSpec(add('spec', 'the OpenAPI document that the commands are made from'), session)
  add('describe <operation...>', 'print what the document says of an operation, schemas included').action(
    (words: string[], _, command: Command) => describe(session, words.join('.'), command.optsWithGlobals()),
  )
  addCompletion(program, add('completion <shell>', 'print the completion script: bash, zsh, fish or pwsh'), session)
  addApi(add('api <path>', 'send any request to the service, with the stored login'), session)
  addAliases(add('alias', 'names of your own for commands'), session, program)
  add('mcp', 'run a local MCP server (stdio) that forwards to the service with the stored login')
    .option('--toolset <path>', 'part of the tools, such as all')
    .action(async ({ toolset }: { toolset?: string }) => {
      const { bridge } = await import('./bridge.ts')
      await bridge(session, toolset)
    })
  addAudit(add('audit', 'check an exported audit log'), session)
  addRuns(add('runs', 'carry out runs of agents with a program of your own'), session)
  program.command('exit-codes', { hidden: true }).action(() => void session.terminal.stdout.write(exitCodeHelp()))
}

function addAccount(add: Add, session: Session): void {
  add('login', 'log in through the browser, or with a key or token')
    .option('--api-key <key>', 'store an API key; - reads it from stdin')
    .option('--token <token>', 'store a session or access token; - reads it from stdin')
    .option('--device', 'show a code to type in a browser elsewhere')
    .option('--no-browser', 'only print the address to open')
    .option('--workspace <id>', 'workspace to use where none is named')
    .action(async (options: object) => (await import('./login.ts')).login(session, options))
  add('logout', 'end the login and forget it').action(async () => (await import('./login.ts')).logout(session))
  add('whoami', 'show who is logged in, where and how').action(async (_, command: Command) =>
    (await import('./login.ts')).whoami(session, command.optsWithGlobals()),
  )
}

function addProfiles(profile: Command, session: Session): void {
  const { terminal, settings } = session
  const { env } = terminal
  profile
    .command('list')
    .description('List the stored logins.')
    .action((_, command: Command) => {
      const { current, profiles } = readProfiles(env)
      const stored = readCredentials(terminal)
      const items = Object.entries(profiles).map(([name, { baseUrl, workspaceId = null }]) => ({
        name,
        isCurrent: name === current,
        baseUrl,
        workspaceId,
        login: stored[name]?.kind ?? null,
      }))
      return print(terminal, { items, count: items.length }, command.optsWithGlobals<OutputOptions>())
    })
  profile
    .command('use <name>')
    .description('Use this login where none is named.')
    .action((name: string) => {
      requireProfile(env, name)
      saveProfiles(env, { ...readProfiles(env), current: name })
      terminal.stderr.write(`Using ${name} from now on.\n`)
    })
  profile
    .command('set')
    .description('Change the profile in use.')
    .option('--workspace <id>', 'workspace to use where none is named')
    .option('--service <address>', 'service to call')
    .action(({ workspace, service }: { workspace?: string; service?: string }) => {
      const file = readProfiles(env)
      const known = file.profiles[settings.profile]
      const baseUrl = service ? checkedBaseUrl(service) : (known?.baseUrl ?? settings.baseUrl)
      const changed = { ...known, baseUrl, ...(workspace && { workspaceId: workspace }) }
      saveProfiles(env, { ...file, profiles: { ...file.profiles, [settings.profile]: changed } })
      terminal.stderr.write(`Profile ${settings.profile} is set.\n`)
    })
  profile
    .command('remove <name>')
    .description('Forget a stored login, without ending it.')
    .action(async (name: string) => {
      requireProfile(env, name)
      const { forgetLogin } = await import('./logins.ts')
      const file = readProfiles(env)
      const { [name]: _, ...profiles } = file.profiles
      await forgetLogin(terminal, name)
      saveProfiles(env, { current: file.current === name ? 'default' : file.current, profiles })
      terminal.stderr.write(`Profile ${name} is gone.\n`)
    })
}

function addSpec(spec: Command, { terminal, documents, settings }: Session): void {
  spec
    .command('update')
    .description('Fetch the newest document from the service.')
    .action(async () => {
      const isNew = await documents.refresh(terminal.signal)
      const { entries } = await documents.digest()
      const state = isNew ? 'a new document' : 'no newer document'
      terminal.stderr.write(`${settings.baseUrl} has ${state}: ${entries.length} operations.\n`)
    })
  spec
    .command('show')
    .description('Print the document in use.')
    .action(async () => {
      terminal.stdout.write(`${JSON.stringify(await documents.document(), null, 2)}\n`)
    })
}

async function describe(session: Session, id: string, options: OutputOptions): Promise<void> {
  if (!find(session.digest, id)) {
    const meant = near(
      id,
      session.digest.entries.map(entry => entry.id),
    )
    throw usage(
      `There is no operation ${id}.`,
      meant.length > 0 ? `Did you mean ${meant.join(', ')}?` : 'See: atrium --help',
    )
  }
  const described = actionOf(await session.documents.document(), id)
  await print(session.terminal, described, { ...options, output: options.output ?? 'json' })
}

function addCompletion(program: Command, completion: Command, session: Session): void {
  completion.action(async (shell: string) => {
    const { scriptFor } = await import('./completion_scripts.ts')
    session.terminal.stdout.write(scriptFor(shell))
  })
  program
    .command('__complete [words...]', { hidden: true })
    .allowUnknownOption()
    .action(async (words: string[]) => {
      const { complete } = await import('./completion.ts')
      for (const { word, note } of await complete(session, program, words)) {
        session.terminal.stdout.write(note ? `${word}\t${note}\n` : `${word}\n`)
      }
    })
}

function addApi(api: Command, session: Session): void {
  const more = (value: string, earlier: string[] = []) => [...earlier, value]
  api
    .option('-X, --method <method>', 'GET, or POST where there is a body')
    .option('-f, --field <name=text>', 'a field of the body; name:=json for numbers, lists and the like', more)
    .option('--body <json>', 'the body as JSON; @file reads a file, @- stdin')
    .option('--all', 'every page of a list')
    .action(async (path: string, _, command: Command) =>
      (await import('./api.ts')).api(session, path, command.optsWithGlobals()),
    )
}

function addAliases(alias: Command, { terminal, digest }: Session, program: Command): void {
  const { env } = terminal
  alias
    .command('list')
    .description('List the names.')
    .action((_, command: Command) => {
      const items = Object.entries(readAliases(env)).map(([name, command]) => ({ name, command }))
      return print(terminal, { items, count: items.length }, command.optsWithGlobals<OutputOptions>())
    })
  alias
    .command('set <name> <command>')
    .description("Let a name stand for a command: atrium alias set keys 'api_keys list --perPage 50'.")
    .action((name: string, command: string) => {
      const isTaken = program.commands.some(one => one.name() === name) || find(digest, name) !== undefined
      if (isTaken || !/^[\w-]+$/.test(name)) throw usage(`${name} cannot be an alias.`, 'Choose a word that is free.')
      if (wordsIn(command).length === 0) throw usage('An alias stands for at least one word.')
      saveAliases(env, { ...readAliases(env), [name]: command })
      terminal.stderr.write(`atrium ${name} is now atrium ${command}.\n`)
    })
  alias
    .command('remove <name>')
    .description('Forget a name.')
    .action((name: string) => {
      const { [name]: found, ...others } = readAliases(env)
      if (found === undefined) throw usage(`There is no alias ${name}.`, 'See: atrium alias list')
      saveAliases(env, others)
      terminal.stderr.write(`Alias ${name} is gone.\n`)
    })
}

function addRuns(runs: Command, session: Session): void {
  runs
    .command('work <command...>')
    .description(
      'Take up runs, one after the other: the program is given each as JSON on stdin and in $ATRIUM_CONTEXT_FILE, with the ' +
        'token of the run in $ATRIUM_TOKEN; each line that it prints becomes a message. Write -- before the program.',
    )
    .option('--workspace <id>', 'workspace whose runs to take up')
    .option('--kinds <list>', 'only these kinds, with commas between')
    .option('--once', 'end after one run')
    .action(async (command: string[], options: object) => (await import('./runs.ts')).work(session, command, options))
}

function addAudit(audit: Command, session: Session): void {
  audit
    .command('verify <file>')
    .description('Check that no entry of an exported audit log was changed, removed or reordered.')
    .option('--earlier <file>', 'an earlier export whose entries must still stand')
    .action(async (file: string, _, command: Command) =>
      (await import('./audit.ts')).verifyAudit(session, file, command.optsWithGlobals()),
    )
}
