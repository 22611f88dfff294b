// The sql`` template: text with $n and its values, composable, and named by its text.
import { createHash } from 'node:crypto'

export type Sql = {
  readonly text: string
  readonly values: readonly unknown[]
  /** The same text always has the same name: the statement is prepared once per connection. */
  readonly name: string
  readonly cachedUntil?: readonly string[]
  /** Never prepared: the engine makes its plan for these very values. */
  readonly isPlannedAnew?: true
}

/** Text that is put in as it stands: names of columns and tables, never anything a caller sent. */
class Raw {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Written = { text: string; parts: readonly unknown[] }

/** The last text that a place in the code has made, and what it was made of. */
const writtenAt = new WeakMap<readonly string[], Written>()

class Fragment implements Sql {
  readonly strings: readonly string[]
  readonly parts: readonly unknown[]
  #flat: { text: string; values: unknown[] } | undefined

  constructor(strings: readonly string[], parts: readonly unknown[]) {
    this.strings = strings
    this.parts = parts
  }

  get #flattened() {
    this.#flat ??= this.#flatten()
    return this.#flat
  }

  /** Most places make the same text again: then only the values are gathered, and nothing long is put together. */
  #flatten() {
    const values: unknown[] = []
    const known = writtenAt.get(this.strings)
    if (known && isSame(known.parts, this.parts)) {
      this.gather(values)
      return { text: known.text, values }
    }
    const text = this.write(values)
    writtenAt.set(this.strings, { text, parts: this.parts })
    return { text, values }
  }

  get text(): string {
    return this.#flattened.text
  }

  get values(): readonly unknown[] {
    return this.#flattened.values
  }

  get name(): string {
    return nameOf(this.#flattened.text)
  }

  /** Its values alone, in the order in which `write` numbers them. */
  gather(values: unknown[]): void {
    for (const part of this.parts) {
      if (part instanceof Fragment) part.gather(values)
      else if (!(part instanceof Raw)) values.push(part)
    }
  }

  /** Appends this fragment's values to those before it and returns its text. */
  write(values: unknown[]): string {
    let text = this.strings[0] ?? ''
    for (let index = 0; index < this.parts.length; index++) {
      const part = this.parts[index]
      if (part instanceof Fragment) text += part.write(values)
      else if (part instanceof Raw) text += part.text
      else text += `$${values.push(part)}`
      text += this.strings[index + 1]
    }
    return text
  }
}

/** Pieces of text at the same places, and values at the others: the same text comes of both. */
function isSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  if (one.length !== other.length) return false
  for (let index = 0; index < one.length; index++) {
    const [a, b] = [one[index], other[index]]
    if (a === b) continue
    if (a instanceof Fragment) {
      if (!(b instanceof Fragment) || a.strings !== b.strings || !isSame(a.parts, b.parts)) return false
    } else if (a instanceof Raw) {
      if (!(b instanceof Raw) || a.text !== b.text) return false
    } else if (b instanceof Fragment || b instanceof Raw) return false
  }
  return true
}

const names = new Map<string, string>()
/** More than the code has texts: only what goes wrong gets here, and then the names are made again. */
const mostNames = 4_000

function nameOf(text: string): string {
  let name = names.get(text)
  if (name === undefined) {
    name = createHash('sha256').update(text).digest('base64url').slice(0, 24)
    if (names.size >= mostNames) names.clear()
    names.set(text, name)
  }
  return name
}

export function sql(strings: TemplateStringsArray, ...parts: unknown[]): Sql {
  return new Fragment(strings, parts)
}

/**
 * A reading whose rows the embedded engine may keep until a commit changes one of these tables, or adds to it where
 * it is written `+table`; what takes their rows along when it goes is known from the schema. Rows come back frozen.
 * Where several processes write, it is read as any other, but once for all who ask in the same moment.
 */
export function cachedUntil(tables: readonly string[], statement: Sql): Sql {
  return Object.assign(statement, { cachedUntil: tables })
}

/** For a text in which `$n is null or …` turns parts off: only a plan for these values can use the right index. */
export function plannedAnew(statement: Sql): Sql {
  return Object.assign(statement, { isPlannedAnew: true as const })
}

export function raw(text: string): unknown {
  return new Raw(text)
}

/** Joins fragments, as in `where a and b`. */
export function join(fragments: readonly Sql[], separator: string): Sql {
  return new Fragment(separators(fragments.length, separator), fragments)
}

/** The same array each time, so that a text which is joined of the same fragments is recognised. */
const separatorsOf = new Map<string, readonly string[]>()

function separators(count: number, separator: string): readonly string[] {
  const key = `${count}${separator}`
  const known = separatorsOf.get(key)
  if (known) return known
  const made = [...Array.from({ length: count }, (_, index) => (index === 0 ? '' : separator)), '']
  // Joins are written in the code and short; whoever joins thousands makes the array again.
  if (separatorsOf.size < 200) separatorsOf.set(key, made)
  return made
}

/**
 * `"a" = case when $1 then $2 else "a" end, …` for all these fields, given or not: one text for every request that
 * changes any of them. Names go from camelCase to snake_case.
 */
export function assignments<N extends string>(names: readonly N[], fields: { readonly [K in N]?: unknown }): Sql {
  const strange = Object.keys(fields).find(name => !names.includes(name as N))
  if (strange !== undefined) throw new Error(`${strange} is not among the fields that this statement can set`)
  return join(
    names.map(name => {
      const column = raw(quoted(snake(name)))
      const value = fields[name]
      return sql`${column} = case when ${value !== undefined}::boolean then ${value ?? null} else ${column} end`
    }),
    ', ',
  )
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

export function snake(name: string): string {
  return name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
}

export function camel(name: string): string {
  return name.replace(/(?<!^)_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}
