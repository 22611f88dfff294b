// Why an account could not be read at all, in words that say what to do.
import { ApiError } from '../../../contract/errors.ts'
import { GitFailure } from '../../../kit/git.ts'
import type { Unseen } from '../found/contract.ts'

export type ReadingFault = { code: Unseen['code']; text: string }

const own: ReadingFault = { code: 'failed', text: 'The service could not read it; try again, or ask the operator.' }

/** By their form, since each source has a class of its own: a code of ours, and a text that quotes nothing. */
function isFault(error: unknown): error is Error & { code: Unseen['code'] } {
  return error instanceof Error && /^(UnreadableSource|AwsFault)$/.test(error.name) && 'code' in error
}

/** Null where it is no fault of the other side: the service stops, or has a fault of its own. */
export function faultOf(error: unknown): ReadingFault | null {
  if (isFault(error)) return { code: error.code, text: error.message }
  if (error instanceof GitFailure) {
    if (error.fault === 'aborted') return null
    return error.fault === 'timeout'
      ? { code: 'timeout', text: 'Reading the repository took longer than it may; name a folder with fewer files.' }
      : { code: 'failed', text: 'The repository could not be read; sync it, and see its error.' }
  }
  if (!(error instanceof ApiError)) return null
  if (error.kind === 'not_found') return { code: 'failed', text: `${error.detail} Check the repository, ref and path.` }
  if (error.kind === 'conflict' || error.kind === 'unavailable' || error.kind === 'payload_too_large') {
    return { code: error.kind === 'payload_too_large' ? 'too_large' : 'failed', text: error.detail }
  }
  return null
}

export const ownFault = own
