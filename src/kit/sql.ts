// The sql`` template: text with $n and its values, composable, and named so that engines prepare it once.
import { createHash } from 'node:crypto'

export type Sql = {
  readonly text: string
  readonly values: readonly unknown[]
  /** The same text always has the same name: the statement is prepared once per connection. */
  readonly name: string
}

/** Text that is put in as it stands: names of columns and tables, never anything a caller sent. */
class Raw {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

class Fragment implements Sql {
  readonly strings: readonly string[]
  readonly parts: readonly unknown[]
  #flat: { text: string; values: unknown[] } | undefined

  constructor(strings: readonly string[], parts: readonly unknown[]) {
    this.strings = strings
    this.parts = parts
  }

  get #flattened() {
    if (!this.#flat) {
      const values: unknown[] = []
      this.#flat = { text: this.write(values), values }
    }
    return this.#flat
  }

  get text(): string {
    return this.#flattened.text
  }

  get values(): readonly unknown[] {
    return this.#flattened.values
  }

  get name(): string {
    return nameOf(this.text)
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

const names = new Map<string, string>()

function nameOf(text: string): string {
  let name = names.get(text)
  if (name === undefined) {
    name = createHash('sha256').update(text).digest('base64url').slice(0, 24)
    names.set(text, name)
  }
  return name
}

export function sql(strings: TemplateStringsArray, ...parts: unknown[]): Sql {
  return new Fragment(strings, parts)
}

export function raw(text: string): unknown {
  return new Raw(text)
}

/** Joins fragments, as in `where a and b`. */
export function join(fragments: readonly Sql[], separator: string): Sql {
  const strings = fragments.map((_, index) => (index === 0 ? '' : separator))
  return new Fragment([...strings, ''], fragments)
}

/** `a = $1, b = $2` for the fields that are given; names go from camelCase to snake_case. */
export function assignments(fields: Readonly<Record<string, unknown>>): Sql {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  return join(
    given.map(([name, value]) => sql`${raw(snake(name))} = ${value}`),
    ', ',
  )
}

export function snake(name: string): string {
  return name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
}

export function camel(name: string): string {
  return name.replace(/(?<!^)_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}
