// The flags that every command has.
import { Option } from 'commander'
import { formats } from './output.ts'

export const globalOptions = () => [
  new Option('-o, --output <format>', 'table on a terminal, json elsewhere').choices(formats),
  new Option('--columns <names>', 'fields to show, with commas; owner.name reaches inside'),
  new Option('--jq <expression>', 'filter the result with jq; text is printed bare'),
  new Option('--profile <name>', 'stored login to use (ATRIUM_PROFILE)'),
  new Option('--base-url <address>', 'service to call (ATRIUM_BASE_URL)'),
  new Option('--offline', 'do not ask the service for a newer document'),
  new Option('--retries <number>', 'how often to try again; 0 never').default('3'),
  new Option('-y, --yes', 'do not ask before a delete'),
  new Option('--web', 'open the page of the console instead'),
  new Option('--verbose', 'show each request and how long it took (ATRIUM_DEBUG=1)'),
]

/** Names of flags that are followed by a value, for whoever looks for the first word. */
export const globalsWithValue = globalOptions()
  .filter(option => option.required)
  .flatMap(option => [option.short, option.long])
  .filter(name => name !== undefined)
