// Reads a list of AWS page by page, and trusts no page to be the last, or to be a page.

import { ask, type Params, type Session } from './asking.ts'
import { type Action, callOf, type Listing } from './calls.ts'
import { AwsFault } from './faults.ts'
import { serviceOf } from './hosts.ts'
import { list, value } from './shapes.ts'

const mostPages = 500
/** Tokens are longer than anything else that is read. */
const longestToken = 16_384

/** The things on all pages. Without the list itself an answer is malformed: nobody concludes that there is nothing. */
export async function* listed(
  session: Session,
  action: Action,
  region: string,
  params: Params = {},
): AsyncGenerator<unknown, void, undefined> {
  const { list: listing, service } = callOf(action)
  if (!listing) throw new AwsFault('failed', `${action} is no list`)
  const isJson = /json/.test(serviceOf(service).protocol)
  const [size, most] = listing.size ?? []
  const sized = size === undefined ? params : { ...params, [size]: most }
  let token: Record<string, string> | null = {}
  for (let page = 1; token; page++) {
    if (page > mostPages) throw new AwsFault('too_large', `${action} has more than ${mostPages} pages`)
    const answer = await ask(session, action, region, { ...sized, ...token })
    if (!hasList(answer, listing, isJson)) throw new AwsFault('malformed', `the answer to ${action} has no list in it`)
    yield* list(answer, listing.items, 100_000)
    const next = tokenIn(answer, listing)
    if (next && JSON.stringify(next) === JSON.stringify(token)) {
      throw new AwsFault('malformed', `${action} goes on with the page that it is at`)
    }
    token = next
  }
}

function hasList(answer: unknown, { items, isOptional }: Listing, isJson: boolean): boolean {
  if (isJson) return Array.isArray(value(answer, items)) || (isOptional === true && value(answer, items) === undefined)
  const around = value(answer, items.split('.').slice(0, -1).join('.'))
  // One without anything in it may be written over several lines.
  return typeof around === 'string' ? around.trim() === '' : typeof around === 'object' && around !== null
}

function tokenIn(answer: unknown, { next }: Listing): Record<string, string> | null {
  const told = Object.entries(next).map(([sent, path]) => [sent, longText(answer, path)] as const)
  if (told[0]?.[1] === undefined) return null
  return Object.fromEntries(told.flatMap(([sent, token]) => (token === undefined ? [] : [[sent, token]])))
}

/** One that cannot be read is not the end of the list: what comes after it would seem to be gone. */
function longText(answer: unknown, path: string): string | undefined {
  const found = value(answer, path)
  if (found === undefined || found === null || found === '') return undefined
  if (typeof found === 'string' && found.length <= longestToken) return found
  throw new AwsFault('malformed', 'a list does not say how it goes on')
}
