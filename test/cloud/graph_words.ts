// What a source has found, in words that a test can hold against others.

import type { Found } from '../../src/areas/cloud_accounts/found/contract.ts'
import type { UnreadableSource } from '../../src/areas/cloud_accounts/sources/unreadable.ts'

export const edgesIn = ({ edges }: Found) =>
  edges.map(({ from, to, relation }) => `${from.type} ${from.externalId} ${relation} ${to.type} ${to.externalId}`)

export const unseenIn = ({ unseen }: Found) => unseen.map(({ types, code }) => `${types} ${code}`)

/** What it failed with; a reading that did not fail is a failure of the test. */
export async function failureOf(reading: Promise<unknown>): Promise<UnreadableSource> {
  const went = await reading.then(
    () => null,
    cause => cause,
  )
  if (went === null) throw new Error('it was read')
  return went
}
