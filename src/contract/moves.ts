// States of a record and the moves between them: a move that is not declared is a conflict that names those that are.
import { conflict } from './errors.ts'

type Table = Readonly<Record<string, readonly string[]>>

/** Every state that is moved to must itself be declared, be it with no way out. */
type Closed<M extends Table> = { [K in keyof M]: readonly (keyof M & string)[] }

export type Moves<S extends string> = {
  states: readonly S[]
  /** Where a record in this state may go. */
  from(state: S): readonly S[]
  /** Throws 409 where the move is not one of them; `what` is the record's name in words: "issue". */
  check(what: string, state: S, to: S): void
}

/** `moves({ new: ['triaging', 'closed'], triaging: ['closed'], closed: [] })` */
export function moves<const M extends Table>(table: M & Closed<M>): Moves<keyof M & string> {
  type State = keyof M & string
  const from = (state: State) => table[state] as readonly State[]
  return {
    states: Object.keys(table) as State[],
    from,
    check(what, state, to) {
      const legal = from(state)
      if (legal.includes(to)) return
      const ways = legal.length > 0 ? `it can become ${legal.join(', ')}` : 'that is final'
      throw conflict(`The ${what} is ${state} and cannot become ${to}; ${ways}.`, { state, moves: legal })
    },
  }
}
