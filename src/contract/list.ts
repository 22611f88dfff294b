// The grammar of every list: paging, sorting and filters in, items and count out.
import { type TObject, type TProperties, type TSchema, type TUnsafe, Type } from 'typebox'
import { choice, object } from './records.ts'

type Filter = TUnsafe<string | string[]>

/** One value, or several of which any may match; a value that begins with `!` is taken away. */
const filter = Type.Unsafe<string | string[]>({
  anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, maxItems: 1000 }],
  description: 'Exact match; several values match any of them; a value prefixed with `!` is excluded.',
  'x-filter': true,
})

type ListOptions<S extends readonly string[], F extends readonly string[], E extends TProperties> = {
  /** Names the records can be sorted by; `created` is the default where it is among them, else the first. */
  sort: S
  filter: F
  /** Further query fields of this one list, such as `from` and `to`. */
  extra?: E
}

/** The query of a list operation. */
export function list<
  const S extends readonly string[],
  const F extends readonly string[] = readonly [],
  E extends TProperties = Record<never, never>,
>(options: ListOptions<S, F, E>) {
  const sort = options.sort.includes('created') ? 'created' : options.sort[0]
  const filters = Object.fromEntries(options.filter.map(name => [name, Type.Optional(filter)]))
  return object({
    orderBy: Type.Optional(choice(options.sort, { default: sort })),
    order: Type.Optional(choice(['asc', 'desc'], { default: 'desc' })),
    perPage: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
    page: Type.Optional(Type.Integer({ minimum: 1, default: 1 })),
    ...filters,
    ...options.extra,
    // NoInfer: from the place where the schema is used, E would become any properties at all.
  }) as unknown as TObject<
    {
      orderBy: ReturnType<typeof Type.Optional<TUnsafe<S[number]>>>
      order: ReturnType<typeof Type.Optional<TUnsafe<'asc' | 'desc'>>>
      perPage: ReturnType<typeof Type.Optional<ReturnType<typeof Type.Integer>>>
      page: ReturnType<typeof Type.Optional<ReturnType<typeof Type.Integer>>>
    } & { [K in F[number]]: ReturnType<typeof Type.Optional<Filter>> } & NoInfer<E>
  >
}

/** The result of a list operation. */
export function page<T extends TSchema>(item: T) {
  return object({
    items: Type.Array(item),
    count: Type.Integer({ minimum: 0, description: 'Number of items available after filtering.' }),
  })
}
