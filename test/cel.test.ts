// Expressions: what is refused and where, what a record without a field does, bounds, and that SQL says the same.
import fc, { type Arbitrary } from 'fast-check'
import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { check, checkedField, type Expression, evaluate, test as matching } from '../src/kit/cel.ts'
import { type CelColumns, toSql } from '../src/kit/cel_sql.ts'
import { join, type Sql, sql } from '../src/kit/sql.ts'
import { freshDatabase } from './helpers/engines.ts'

const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(type: T) => Type.Union([type, Type.Null()])
const roots = Type.Object({
  alert: Type.Object({
    title: Type.String(),
    severity: Type.Union([Type.Literal('low'), Type.Literal('high')]),
    owner: Type.Optional(Nullable(Type.String())),
    count: Type.Optional(Nullable(Type.Integer())),
    score: Type.Optional(Nullable(Type.Number())),
    isOpen: Type.Optional(Nullable(Type.Boolean())),
    createdAt: Type.Optional(Nullable(Type.String({ format: 'date-time' }))),
    labels: Type.Optional(Nullable(Type.Array(Type.String()))),
    team: Type.Optional(Type.Object({ name: Type.String(), size: Type.Integer() })),
    people: Type.Optional(Type.Array(Type.Object({ name: Type.String(), isAway: Type.Boolean() }))),
  }),
  args: Type.Record(Type.String(), Type.Unknown()),
})

function compile(text: string, result: 'bool' | 'string' = 'bool'): Expression {
  const checked = check(text, roots, result)
  if (!checked.ok) throw new Error(`${text}: ${checked.problem.message}`)
  return checked.expression
}

function problem(text: string, result: 'bool' | 'string' = 'bool') {
  const checked = check(text, roots, result)
  return checked.ok ? null : checked.problem
}

const alert = { title: 'Disk full on db-1', severity: 'high', count: 3, score: 7.5, labels: ['disk', 'db'] }
const tried = (text: string, record: Record<string, unknown> = { alert, args: {} }) => matching(compile(text), record)

describe('check', () => {
  it('refuses what the schema does not have, and says where', () => {
    expect(problem('alert.title == "x" &&\n  alert.nope == 1')).toEqual({
      message: 'No such key: nope',
      offset: 30,
      line: 2,
      column: 9,
    })
    expect(problem('has(alert.nope)')).toMatchObject({ message: 'No such key: nope', offset: 10 })
    expect(problem('has(alert.team.nope)')).toMatchObject({ offset: 15 })
    expect(problem('alert.people.exists(p, has(p.nope))')).toMatchObject({ offset: 29 })
    expect(problem('alert.people.exists(p, p.nope == "x")')).toMatchObject({ offset: 25 })
    expect(problem('secret == 1')).toMatchObject({ message: 'Unknown variable: secret', offset: 0 })
  })

  it.each([
    ['alert.title > 5', 0],
    ['alert.title == 3', 0],
    ['alert.count.startsWith("a")', 0],
    ['true && alert.title', 0],
    ['alert.title ==', 14],
    ['"open', 0],
    ['alert.title.matches("(?=x)")', 20],
    ['alert.title.matches("(")', 20],
    ['alert.createdAt > timestamp("yesterday")', 28],
    ['alert.createdAt - alert.createdAt > duration("1 day")', 45],
    ['["a"].join() == "a"', 0],
    ['cel.bind(a, 1, a == 1)', 0],
    ['type(alert) == int', 0],
    ['dyn(1) == "a"', 0],
    ['1u == 1u', 0],
    ['99999999999999999 == 1', 0],
    ['alert.title == "a\\u0000b"', 15],
    ['{"a": 1}.size() == 1', 0],
  ])('refuses %s', (text, offset) => {
    expect(problem(text)).toMatchObject({ offset, line: 1, column: offset + 1 })
  })

  it('holds the result to the type that was asked for', () => {
    expect(problem('alert.title')).toMatchObject({ message: expect.stringContaining('bool') })
    expect(problem('alert.title', 'string')).toBeNull()
    expect(problem('alert.count > 1', 'string')).toMatchObject({ message: expect.stringContaining('string') })
    expect(problem('args.isDry')).toBeNull()
  })

  it('bounds the text, its depth, its nodes and its lists', () => {
    expect(problem(`alert.title == "${'x'.repeat(4_000)}"`)).toMatchObject({ offset: 4_000 })
    expect(problem(`${'('.repeat(60)}true${')'.repeat(60)}`)).not.toBeNull()
    expect(problem(Array(250).fill('true').join(' && '))).not.toBeNull()
    expect(problem(`alert.count in [${Array(201).fill('1').join(',')}]`)).not.toBeNull()
    expect(problem(`alert.count in [${Array(200).fill('1').join(',')}]`)).toBeNull()
  })

  it('becomes a 400 that names the field', () => {
    expect(() => checkedField('condition', 'alert.nope', roots)).toThrow(
      expect.objectContaining({
        kind: 'bad_request',
        detail: 'condition is not a valid expression: No such key: nope (line 1, column 7).',
        metadata: { issues: [expect.objectContaining({ path: 'condition' })] },
      }),
    )
  })
})

describe('test', () => {
  it.each([
    'alert.title.contains("full") && alert.severity == "high"',
    'alert.count == 3.0 && alert.score > 7 && alert.score == 7.5 && alert.count / 2 == 1 && alert.score / 3.0 == 2.5',
    'alert.count % 2 == 1 && -alert.count < 0 && alert.count * 2 - 1 == 5',
    '"db" in alert.labels && !("web" in alert.labels) && size(alert.labels) == 2',
    'alert.labels.exists(l, l.startsWith("di")) && alert.labels.all(l, l.size() > 1)',
    'alert.labels.filter(l, l != "db") == ["disk"] && alert.labels.map(l, l + "!")[1] == "db!"',
    'alert.labels.exists_one(l, l == "db")',
    'alert.title.matches("^Disk .*db-[0-9]+$") && alert.title.lowerAscii().startsWith("disk")',
    'alert.owner == null && !has(alert.owner) && alert.owner != "ada" && alert.team == null',
    '!has(alert.team.name) && alert.team.name == null',
    'timestamp("2026-01-31T12:00:00Z") - duration("90m") < timestamp("2026-01-31T12:00:00+01:00") == true',
    'timestamp("2026-01-31T12:00:00Z").getHours() == 12 && int("12") == 12 && string(5) == "5"',
    'true ? alert.count > 1 : alert.owner > "x"',
    'alert.owner > "a" || true',
    '!(alert.owner > "a" && false)',
  ])('matches %s', text => {
    expect(tried(text)).toEqual({ matches: true })
  })

  it('does not match where a field has no value, and says which', () => {
    const wanting = (text: string) => tried(text).reason
    expect(wanting('alert.owner.startsWith("a")')).toBe('alert.owner is not set.')
    expect(wanting('!alert.owner.startsWith("a")')).toBe('alert.owner is not set.')
    expect(wanting('alert.isOpen')).toBe('alert.isOpen is not set.')
    expect(wanting('alert.team.size > 3')).toBe('alert.team.size is not set.')
    expect(wanting('alert.people.all(p, p.isAway)')).toBe('alert.people is not set.')
    expect(wanting('alert.count / 0 == 1')).toBe('A division by zero.')
  })

  it('survives records that are not as their schema says', () => {
    const odd = { alert: { title: 5, labels: 'x', count: 'many', createdAt: 'soon', people: [null, 3] }, args: [] }
    for (const text of [
      'alert.title.contains("x")',
      'alert.labels.exists(l, l == "x")',
      'alert.count > 3',
      'alert.createdAt > timestamp("2026-01-31T12:00:00Z")',
      'alert.people.exists(p, p.name.contains("x"))',
      'args.a.b == "x" && args.c[3] > 2',
    ]) {
      expect(tried(text, odd), text).toMatchObject({ matches: false })
      expect(tried(text, {}), text).toMatchObject({ matches: false })
    }
    expect(tried('args.constructor == null && args.__proto == null', { args: {} })).toEqual({ matches: true })
  })

  it('gives up on too much work, also behind an or', () => {
    const args = { list: Array(2_000).fill('x'), text: 'a'.repeat(1_000_000), deep: nested(50_000) }
    const tooMuch = { matches: false, reason: 'The expression is too much work for this record.' }
    expect(tried('args.list.exists(a, args.list.exists(b, a != b)) || true', { args })).toEqual(tooMuch)
    expect(tried('args.text.matches("(a+)+b[0-9]{3}$") || true', { args })).toEqual(tooMuch)
    expect(tried(`args.list.map(x, ${Array(20).fill('args.text').join('+')}).size() > 1`, { args })).toEqual(tooMuch)
    expect(tried('args.deep == args.deep2', { args: { ...args, deep2: nested(50_000) } }).matches).toBe(false)
  })

  it('gives texts, for who asks for them', () => {
    expect(evaluate(compile('alert.severity + ": " + alert.title', 'string'), { alert })).toEqual({
      value: 'high: Disk full on db-1',
    })
    expect(evaluate(compile('args.name', 'string'), { args: { name: 3 } })).toEqual({
      reason: 'The result is not text (string).',
    })
  })
})

function nested(depth: number): unknown {
  let value: unknown = []
  for (let i = 0; i < depth; i++) value = [value]
  return value
}

const columns: CelColumns = {
  'alert.title': { column: 'r.title', type: 'text' },
  'alert.owner': { column: 'r.owner', type: 'text' },
  'alert.count': { column: 'r.count', type: 'bigint' },
  'alert.score': { column: 'r.score', type: 'double precision' },
  'alert.isOpen': { column: 'r.is_open', type: 'boolean' },
  'alert.createdAt': { column: 'r.created_at', type: 'timestamptz' },
  'alert.labels': { column: 'r.labels', type: 'text[]' },
}

const words = ['', 'a', 'ab', 'b', 'B', 'ä', 'é', '%', '_', "'; --", '\\', 'z\u{1F600}', '\uFFFD', '\u{1F600}']
const times = ['2026-01-01T00:00:00.000Z', '2026-06-01T12:30:00.123Z', '2026-12-31T23:59:59.999Z']
const word = fc.constantFrom(...words)
const whole = fc.integer({ min: -3, max: 3 })
const fraction = fc.constantFrom(-1.5, -1, 0, 0.5, 1, 2.25)
const orNull = <T>(values: Arbitrary<T>) => fc.option(values, { nil: null, freq: 3 })

const records = fc.record({
  title: orNull(word),
  owner: orNull(word),
  count: orNull(whole),
  score: orNull(fraction),
  isOpen: orNull(fc.boolean()),
  createdAt: orNull(fc.constantFrom(...times)),
  labels: orNull(fc.array(word, { maxLength: 3 })),
})

const quotedText = word.map(text => JSON.stringify(text))
const text = fc.oneof(fc.constantFrom('alert.title', 'alert.owner'), quotedText)
const number = fc.oneof(
  fc.constantFrom('alert.count', 'alert.score'),
  whole.map(String),
  fraction.map(value => value.toFixed(2)),
)
const time = fc.oneof(
  fc.constant('alert.createdAt'),
  fc.constantFrom(...times).map(at => `timestamp("${at}")`),
)
const operator = fc.constantFrom('==', '!=', '<', '<=', '>', '>=')
const compared = (side: Arbitrary<string>) => fc.tuple(side, operator, side).map(parts => parts.join(' '))
const field = fc.constantFrom(...Object.keys(columns))
const leaf = fc.oneof(
  compared(text),
  compared(number),
  compared(time),
  fc.constantFrom('alert.isOpen', 'alert.isOpen == true', 'alert.isOpen != false', 'true', 'false'),
  field.map(name => `has(${name})`),
  fc.tuple(field, fc.constantFrom('==', '!=')).map(([name, op]) => `${name} ${op} null`),
  fc.tuple(text, fc.constantFrom('startsWith', 'contains', 'endsWith'), text).map(([a, f, b]) => `${a}.${f}(${b})`),
  fc.tuple(text, fc.array(quotedText, { maxLength: 3 })).map(([a, list]) => `${a} in [${list.join(', ')}]`),
  fc.array(whole, { maxLength: 3 }).map(list => `alert.count in [${list.join(', ')}]`),
  quotedText.map(a => `${a} in alert.labels`),
)
const { tree: condition } = fc.letrec<{ tree: string }>(tie => ({
  tree: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.tuple(tie('tree'), fc.constantFrom('&&', '||'), tie('tree')).map(([a, op, b]) => `(${a} ${op} ${b})`),
    tie('tree').map(inner => `!(${inner})`),
  ),
}))

describe('toSql', () => {
  it('lets the same records through as test does', { timeout: 60_000 }, async () => {
    const seed = Number(process.env.CEL_SEED ?? 20_261_116)
    const people = fc.sample(records, { numRuns: 60, seed })
    const expressions = fc.sample(condition, { numRuns: 600, seed }).map(source => compile(source))
    const { database, drop } = await freshDatabase()
    try {
      const rows = sql`json_to_recordset(${JSON.stringify(people)}::json)
        as r("title" text, "owner" text, "count" bigint, "score" double precision, "isOpen" boolean,
          "createdAt" timestamptz, "labels" text[])`
      const source = sql`(select "title", "owner", "count", "score", "isOpen" as is_open, "createdAt" as created_at,
        "labels" from ${rows}) r`
      let matched = 0
      for (let start = 0; start < expressions.length; start += 100) {
        const some = expressions.slice(start, start + 100)
        const tests = some.map(expression => sql`coalesce(${translated(expression)}, false)`)
        const found = await database.query<{ tests: boolean[] }>(
          sql`select array[${join(tests, ', ')}] as tests from ${source}`,
        )
        const differing = people.flatMap((person, row) =>
          some.flatMap((expression, at) => {
            const { matches, reason } = matching(expression, { alert: person })
            matched += Number(matches)
            return found[row]?.tests[at] === matches ? [] : [{ text: expression.text, person, matches, reason }]
          }),
        )
        expect(differing.slice(0, 3)).toEqual([])
      }
      // Not all and not none: the law compares something.
      expect(matched / (people.length * expressions.length)).toBeGreaterThan(0.2)
      expect(matched / (people.length * expressions.length)).toBeLessThan(0.8)
    } finally {
      await database.close()
      await drop()
    }
  })

  it('binds every value, and has no text of a user in its own', () => {
    const statement = translated(compile(`alert.title == "'; drop table x" && alert.count in [41, 42]`))
    expect(statement.text).toBe('((r.title = $1::text) and (r.count = any($2::bigint[])))')
    expect(statement.values).toEqual(["'; drop table x", [41, 42]])
  })

  it.each([
    'alert.title.matches("x")',
    'alert.labels.exists(l, l == "x")',
    'alert.count + 1 == 2',
    'alert.severity == "high"',
    'args.x == "y"',
    'alert.title.size() > 3',
    'alert.labels == ["x"]',
    'true ? true : false',
  ])('leaves %s to memory', text => {
    expect(toSql(compile(text), columns)).toBeUndefined()
  })
})

function translated(expression: Expression): Sql {
  const statement = toSql(expression, columns)
  if (!statement) throw new Error(`there is no SQL for ${expression.text}`)
  return statement
}
