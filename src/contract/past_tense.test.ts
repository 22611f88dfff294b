import { expect, it } from 'vitest'
import { pastTense } from './past_tense.ts'

it.each([
  ['post', 'created'],
  ['rotate', 'rotated'],
  ['verify', 'verified'],
  ['replay', 'replayed'],
  ['split', 'split'],
  ['transfer', 'transferred'],
  ['received', 'received'],
  ['end old secret', 'ended old secret'],
  ['constructor', 'constructored'],
])('says that somebody who did "%s" %s', (verb, past) => {
  expect(pastTense(verb)).toBe(past)
})
