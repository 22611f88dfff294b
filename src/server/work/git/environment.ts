// What git is let to know: an environment of our own, a configuration of our own, and nothing of the machine's.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { type Config, StartError } from '../../config.ts'

/** Files that git and ssh are pointed at; none of them holds a secret. */
export type GitFiles = { config: string; askpass: string; certificates: string }

/** The same for every command. What differs comes by the environment, so that no secret is ever in a file of these. */
const configuration = `# Written at each start; changes are lost.
[core]
	hooksPath = /dev/null
	attributesFile = /dev/null
	excludesFile = /dev/null
	fsmonitor = false
	symlinks = false
	quotePath = false
	pager = cat
	bigFileThreshold = 16m
	protectHFS = true
	protectNTFS = true
	abbrev = 40
[protocol]
	allow = never
[credential]
	helper =
[http]
	followRedirects = false
	proxy =
	sslVerify = true
	lowSpeedLimit = 1000
	lowSpeedTime = 60
[transfer]
	bundleURI = false
[fetch]
	recurseSubmodules = false
	unpackLimit = 1
	writeCommitGraph = true
	showForcedUpdates = false
	parallel = 1
# Directories of the operator belong to others; what may be opened is decided before git is asked.
[safe]
	directory = *
[submodule]
	recurse = false
[gc]
	auto = 0
[maintenance]
	auto = false
[pack]
	threads = 1
	windowMemory = 128m
[grep]
	threads = 2
[log]
	mailmap = false
	showSignature = false
[i18n]
	logOutputEncoding = UTF-8
[diff]
	external =
	renameLimit = 1000
[init]
	defaultBranch = main
	templateDir =
[merge]
	renameLimit = 1000
	conflictStyle = merge
[push]
	default = nothing
[user]
	useConfigOnly = true
`

/** One line: whoever asks for a user name gets it, whoever asks for more gets the token. */
const askpass =
  '#!/bin/sh\ncase "$1" in Username*) printf %s "$ATRIUM_GIT_USERNAME" ;; *) printf %s "$ATRIUM_GIT_TOKEN" ;; esac\n'

export function writeGitFiles(folder: string, { OUTBOUND_CA: own }: Pick<Config, 'OUTBOUND_CA'>): GitFiles {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const files = {
    config: join(folder, 'gitconfig'),
    askpass: join(folder, 'askpass'),
    certificates: join(folder, 'certificates.pem'),
  }
  writeFileSync(files.config, configuration, { mode: 0o600 })
  writeFileSync(files.askpass, askpass, { mode: 0o700 })
  chmodSync(files.askpass, 0o700)
  // The machine may have none; these are the ones that every other call to the outside trusts.
  const certificates = [...rootCertificates, ...(own ? [certificatesIn(own)] : [])]
  writeFileSync(files.certificates, `${certificates.join('\n')}\n`, { mode: 0o600 })
  return files
}

function certificatesIn(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw new StartError(`OUTBOUND_CA names ${file}, which cannot be read; correct it or leave it out.`)
  }
}

export type Environment = Readonly<Record<string, string>>

/** Nothing of the service's own is handed on. */
export function bareEnvironment({ config, certificates }: GitFiles): Environment {
  return {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/homebrew/bin',
    // English messages, and letters of more than one byte.
    LC_ALL: 'C.UTF-8',
    HOME: '/nonexistent',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: config,
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '/bin/false',
    SSH_ASKPASS: '/bin/false',
    GIT_SSH_COMMAND: '/bin/false',
    GIT_SSL_CAINFO: certificates,
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_NO_LAZY_FETCH: '1',
    // Overrides any configuration: no transport at all, unless a command names its one.
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_PAGER: 'cat',
  }
}

/** Settings of one command, as git reads them from its environment. */
export function settingsOf(settings: Readonly<Record<string, string>>): Environment {
  const entries = Object.entries(settings).flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, name],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ])
  return { GIT_CONFIG_COUNT: String(Object.keys(settings).length), ...Object.fromEntries(entries) }
}
