// The grammar of every list: paging, sorting and filters in, items and count out.
import { type Static, type TObject, type TSchema, type TUnsafe, Type } from 'typebox'
import type { Area } from './operation.ts'
import { choice, nullable, object, timestamp } from './records.ts'

type Filter = TUnsafe<string | string[]>

/** Longer than any field that can be filtered by, with its `!`. */
const one = { type: 'string', maxLength: 512 }

/** One value, or several of which any may match; a value that begins with `!` is taken away. */
export const filter = Type.Unsafe<string | string[]>({
  anyOf: [one, { type: 'array', items: one, maxItems: 1000 }],
  description: 'Exact match; several values match any of them; a value prefixed with `!` is excluded.',
  'x-filter': true,
})

/** A half-open span of time. */
export const span = {
  from: Type.Optional({ ...timestamp, description: 'At this time or later.' }),
  to: Type.Optional({ ...timestamp, description: 'Before this time.' }),
}

const additions = {
  q: {
    q: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'Part of a name or title, in any case.' }),
    ),
  },
  span,
  after: {
    after: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1000,
        description: 'The `next` of the page before, asked for with the same order; `page` does not count then.',
      }),
    ),
  },
}

type Additions = typeof additions

type Added<A extends keyof Additions> = ('q' extends A ? Additions['q'] : unknown) &
  ('span' extends A ? Additions['span'] : unknown) &
  ('after' extends A ? Additions['after'] : unknown)

type ListOptions<S extends readonly string[], F extends readonly string[], A extends readonly (keyof Additions)[]> = {
  /** Names the records can be sorted by; `created` is the default where it is among them, else the first. */
  sort: S
  filter: F
  /** `q` finds parts of names, `span` has `from` and `to`, `after` is a cursor for lists that only grow at their end. */
  also?: A
}

/** The query of a list operation. */
export function list<
  const S extends readonly string[],
  const F extends readonly string[] = readonly [],
  const A extends readonly (keyof Additions)[] = readonly [],
>({ sort, filter: names, also }: ListOptions<S, F, A>) {
  return object({
    orderBy: Type.Optional(choice(sort, { default: sort.includes('created') ? 'created' : sort[0] })),
    order: Type.Optional(choice(['asc', 'desc'], { default: 'desc' })),
    perPage: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
    page: Type.Optional(Type.Integer({ minimum: 1, default: 1 })),
    ...Object.fromEntries(names.map(name => [name, Type.Optional(filter)])),
    ...Object.assign({}, ...(also ?? []).map(name => additions[name])),
  }) as unknown as TObject<
    {
      orderBy: ReturnType<typeof Type.Optional<TUnsafe<S[number]>>>
      order: ReturnType<typeof Type.Optional<TUnsafe<'asc' | 'desc'>>>
      perPage: ReturnType<typeof Type.Optional<ReturnType<typeof Type.Integer>>>
      page: ReturnType<typeof Type.Optional<ReturnType<typeof Type.Integer>>>
    } & { [K in F[number]]: ReturnType<typeof Type.Optional<Filter>> } & Added<A[number]>
  >
}

/** What the list operation of an area is asked, as its store gets it. */
export type QueryOf<A extends Area, I extends keyof A['operations']> = A['operations'][I] extends {
  query: infer Q extends TSchema
}
  ? Static<Q>
  : never

/** Query names of a list that are no filters. */
export type NotFilters = 'orderBy' | 'order' | 'perPage' | 'page' | 'q' | 'from' | 'to' | 'after'

/** The names that the query of a list can be sorted by. */
export type SortOf<Q> = Q extends { orderBy?: infer S } ? NonNullable<S> & string : never

/** The names that the query of a list can be filtered by. */
export type FilterOf<Q> = Exclude<keyof Q & string, NotFilters>

/** The result of a list operation. */
export function page<T extends TSchema>(item: T) {
  return object(pageOf(item))
}

/** The result of a list that takes `after`. */
export function pageWithNext<T extends TSchema>(item: T) {
  const next = Type.String({ description: 'For `after`: where the next page begins; null at the end.' })
  return object({ ...pageOf(item), next: nullable(next) })
}

function pageOf<T extends TSchema>(item: T) {
  return {
    items: Type.Array(item),
    count: Type.Integer({ minimum: 0, description: 'Number of items available after filtering.' }),
  }
}
