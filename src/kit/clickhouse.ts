// The seam to ClickHouse, where the operator has one: what a handler or a job may ask of it, and how values are written.

/** A statement whose values are literals already; made by `` ch`…` `` only. */
export type Ch = { readonly text: string }

export type ClickHouse = {
  /** Integers of 64 bits arrive as texts or as numbers: ask for them with `toString`. */
  query<T extends object>(statement: Ch, options?: { timeoutSeconds?: number; signal?: AbortSignal }): Promise<T[]>
  /** Rows in the format RowBinary. Those of one partition are there together or not at all. */
  insert(table: string, columns: readonly string[], rows: readonly Uint8Array[]): Promise<void>
  command(statement: Ch): Promise<void>
}

/** What the server refused, with its code. */
export class ClickHouseFault extends Error {
  readonly code: number

  constructor(code: number, cause: Error) {
    super(cause.message, { cause })
    this.name = 'ClickHouseFault'
    this.code = code
  }
}

/** The query took longer, or more memory, than it may. */
export const tooMuch: readonly number[] = [159, 160, 241]

/** Text that is put in as it stands: names of columns and tables, never anything that a caller sent. */
export function plain(text: string): Ch {
  return { text }
}

/** Everything that is put in becomes a literal, unless it is a part made by this or by `plain`. */
export function ch(strings: TemplateStringsArray, ...parts: readonly (Ch | string | number | bigint)[]): Ch {
  const text = strings.reduce((before, after, index) => {
    const part = parts[index - 1]
    return `${before}${typeof part === 'object' ? part.text : literal(part as string)}${after}`
  })
  return { text }
}

export function joined(parts: readonly Ch[], between: string): Ch {
  return { text: parts.map(({ text }) => text).join(between) }
}

/** The one place where a value becomes SQL. */
export function literal(value: string | number | bigint): string {
  if (typeof value === 'bigint') return String(value)
  // By its bits: servers read decimal digits a little wrongly, each version in its own way.
  if (typeof value === 'number') return `reinterpretAsFloat64(unhex('${bitsOf(value)}'))`
  const escaped = value
    .toWellFormed()
    .replace(/[\\'\0-\x1f\x7f]/g, char => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`)
  return `'${escaped}'`
}

const bits = new DataView(new ArrayBuffer(8))

/** The eight bytes of a number in hexadecimal digits, the lowest first. Zero has no sign. */
export function bitsOf(value: number): string {
  bits.setFloat64(0, value === 0 ? 0 : value, true)
  return digitsOf(bits.getUint32(0)) + digitsOf(bits.getUint32(4))
}

const digitsOf = (part: number): string => part.toString(16).padStart(8, '0')

export function numberOfBits(digits: string): number {
  bits.setUint32(0, Number.parseInt(digits.slice(0, 8), 16))
  bits.setUint32(4, Number.parseInt(digits.slice(8), 16))
  return bits.getFloat64(0, true)
}
