// Why a sync did not go well, in words that say what to do.
import type { Static } from 'typebox'
import { ApiError } from '../../../contract/errors.ts'
import { GitFailure } from '../../../kit/git.ts'
import { HostFault } from '../../integrations/hosts/faults.ts'
import type { Repository } from '../fields/contract.ts'

export type RepositoryError = NonNullable<Static<typeof Repository>['error']>

type Code = RepositoryError['code']

const words: Record<Code, string> = {
  auth: 'The host wants credentials, or refuses those that are set: set a token that may read the code, or a deploy key.',
  not_found: 'The host has no repository at this address, or hides it from these credentials: check the address.',
  unreachable: 'The host could not be reached: check the address, or try again later.',
  address:
    'This address may not be called: it must be a public one, or one that the operator allows, and no redirect is followed.',
  host_key: 'The host shows another key than before. Where that is right, set "hostKey" to null and sync again.',
  too_large: 'The repository is larger than the operator allows.',
  timeout: 'It took longer than it may: try again, or ask the operator.',
  disk: 'The disk of the service has too little room: ask the operator.',
  git: 'The service has no git that can be used: ask the operator to install git 2.39 or later.',
  failed: 'Git could not read it.',
}

/** What git and its helpers say, in the order in which they are looked at. */
const signs: readonly (readonly [Code, RegExp])[] = [
  ['host_key', /host key verification failed|remote host identification has changed|no matching host key/i],
  [
    'auth',
    /authentication failed|could not read (username|password)|permission denied|error: 40[13]\b|access denied|invalid credentials|http basic: access|load key/i,
  ],
  ['address', /unable to update url base from redirection|transport '[^']*' not allowed|redirect|error: 30\d\b/i],
  [
    'not_found',
    /not found|does not appear to be a git repository|error: 404|not a git repository|no such file or directory|does not exist/i,
  ],
  ['too_large', /file size limit exceeded|file too large|signal 25|SIGXFSZ/i],
  [
    'unreachable',
    /could not resolve|failed to connect|couldn't connect|connection (refused|timed out|reset|closed)|timed out|network is unreachable|no route to host|ssl|certificate|unable to access|early eof|hung up|kex_exchange/i,
  ],
]

/** The same code, since nothing of the repository was seen; what can be done about it is something else. */
const distrust = /certificate (problem|verif|subject)|ssl certificate|self[- ]signed|unable to get local issuer/i
const distrusted =
  'The certificate of the host is not trusted: it must be for this address, and by a known authority or one that the ' +
  'operator names in OUTBOUND_CA.'

export function errorOf(error: unknown): RepositoryError | null {
  if (error instanceof ApiError && error.kind === 'unavailable') return { code: 'git', text: words.git }
  if (error instanceof HostFault) return { code: error.code, text: error.text }
  if (!(error instanceof GitFailure)) return null
  if (error.fault === 'aborted' || error.fault === 'busy') return null
  if (error.fault === 'address') return { code: 'address', text: `${words.address} In detail: ${error.text}.` }
  const direct = { timeout: 'timeout', too_long: 'too_large', disk: 'disk', failed: null }[error.fault] as Code | null
  const code = direct ?? signs.find(([, sign]) => sign.test(error.text))?.[0] ?? 'failed'
  const told = code === 'unreachable' && distrust.test(error.text) ? distrusted : words[code]
  return { code, text: direct ? told : `${told}${quoted(error.text)}` }
}

/** The last line that says something; hints and separators of hosts do not. */
function quoted(text: string): string {
  const lines = text.split('\n').map(line => line.replace(/^(fatal|error|remote|warning):\s*/i, '').trim())
  const told = lines.filter(line => /\w/.test(line) && !/^(please make sure|and the repository exists)/i.test(line))
  const line = told.at(-1)
  return line === undefined ? '' : ` Git said: ${line.slice(0, 300)}`
}
