// Faults as they are found, each with its place.

/** `path` is the place in the definition; `expected` goes on after "must be". */
export type Fault = { path: string; rule: string; expected: string }

/** Whoever has more than this to mend begins with these; a body can hold a hundred thousand. */
const most = 200

export type Faults = {
  readonly all: Fault[]
  /** The words are made only while there is room: near matches take time. */
  add(path: string, rule: string, expected: string | (() => string)): void
}

export function newFaults(): Faults {
  const all: Fault[] = []
  return {
    all,
    add(path, rule, expected) {
      if (all.length >= most) return
      const words = typeof expected === 'string' ? expected : expected()
      if (all.some(one => one.path === path && one.rule === rule && one.expected === words)) return
      all.push({ path, rule, expected: words })
    },
  }
}

/** What somebody wrote, short enough to be repeated to them. What holds more could be nested without end. */
export function quoted(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object'
  const text = String(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
