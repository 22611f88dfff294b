// Moves between states: each pair of states is either declared or refused with 409 and the legal ones.
import { describe, expect, it } from 'vitest'
import { ApiError } from '../src/contract/errors.ts'
import { moves } from '../src/contract/moves.ts'

const issue = moves({ new: ['triaging', 'closed'], triaging: ['closed'], closed: [] })

function refusal(state: (typeof issue.states)[number], to: (typeof issue.states)[number]): ApiError | null {
  try {
    issue.check('issue', state, to)
    return null
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

describe('a move', () => {
  it('is let through exactly where it is declared', () => {
    const allowed = issue.states.flatMap(state =>
      issue.states.filter(to => refusal(state, to) === null).map(to => `${state} → ${to}`),
    )
    expect(allowed).toEqual(['new → triaging', 'new → closed', 'triaging → closed'])
  })

  it('that is not says where the record stands and where it may go', () => {
    expect(refusal('triaging', 'new')).toMatchObject({
      kind: 'conflict',
      detail: 'The issue is triaging and cannot become new; it can become closed.',
      metadata: { state: 'triaging', moves: ['closed'] },
    })
    expect(refusal('closed', 'new')).toMatchObject({
      detail: 'The issue is closed and cannot become new; that is final.',
      metadata: { state: 'closed', moves: [] },
    })
  })

  it('to a state that is not declared does not compile', () => {
    // @ts-expect-error: `gone` is no state.
    moves({ new: ['gone'] })
    // @ts-expect-error: nor is it here.
    expect(() => issue.check('issue', 'new', 'gone')).toThrow(ApiError)
  })
})
