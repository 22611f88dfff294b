// What can be wrong with a body, and how much it may hold.

/** 400: the body is not OTLP. */
export class Undecodable extends Error {}

/** One item is bad data; the others of the body are not. */
export class BadItem extends Error {
  /** Without a stack: a body can hold 100,000 of them, and nobody reads where they come from. */
  constructor(message: string) {
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(message)
    Error.stackTraceLimit = stackTraceLimit
  }
}

export const limits = {
  items: 100_000,
  /** Events, links, exemplars, lists and maps of a whole body: two bytes of protobuf make one of them. */
  nested: 250_000,
  attributes: 128,
  keyLength: 256,
  nameLength: 1024,
  /** Of lists and maps in one value. */
  depth: 16,
  /** Objects and arrays of a JSON body, and how deep they may be: the densest that is OTLP has 600,000, and 80 deep. */
  jsonBrackets: 1_000_000,
  jsonDepth: 256,
} as const

/** Counts what a body holds besides its items. */
export type Budget = { nested: number }

export function countNested(budget: Budget): void {
  budget.nested++
  if (budget.nested > limits.nested)
    throw new Undecodable(`more than ${limits.nested} events, links, lists and maps: send smaller batches`)
}
