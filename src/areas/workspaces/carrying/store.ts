// SQL over whichever tables the areas carry: what the database knows of them, their rows out of it and into it.
import { type CarriedTable, isConditional, type Values } from '../../../contract/carrying.ts'
import type { Db } from '../../../kit/db.ts'
import { join, plannedAnew, raw, type Sql, sql } from '../../../kit/sql.ts'
import type { Shape } from './catalogue.ts'

export type ColumnRow = {
  tableName: string
  name: string
  type: string
  isNullable: boolean
  hasDefault: boolean
  isGenerated: boolean
  isIdentity: boolean
  /** Of a generated column: the one that it repeats, where that begins so. */
  madeOf: { column: string; begin: string } | null
}

export async function readColumns(db: Db, tables: readonly string[]): Promise<ColumnRow[]> {
  const rows = await db.query<Omit<ColumnRow, 'madeOf'> & { expression: string | null }>(sql`
    select c.relname as table_name, a.attname as name, format_type(a.atttypid, null) as type,
      not a.attnotnull as is_nullable, a.atthasdef as has_default, a.attgenerated <> '' as is_generated,
      a.attidentity <> '' as is_identity,
      case when a.attgenerated <> '' then pg_get_expr(d.adbin, d.adrelid) end as expression
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relname = any(${tables}::text[])
    order by c.relname, a.attnum`)
  return rows.map(({ expression, ...row }) => ({ ...row, madeOf: repeated(expression) }))
}

/** `CASE WHEN (owner_id ~~ 'usr\_%') THEN owner_id …`: the column that stands behind THEN, and what its ids begin with. */
function repeated(expression: string | null): ColumnRow['madeOf'] {
  const [, begin, column] = /~~ '(\w+)\\_%'.* then (\w+)/is.exec(expression ?? '') ?? []
  return column === undefined ? null : { column, begin: `${begin}_` }
}

/** `u`: columns of an index without a condition, the primary key's included. */
export type KeyRow = { tableName: string; kind: 'p' | 'f' | 'u'; columns: string[]; parent: string | null }

export function readKeys(db: Db, tables: readonly string[]): Promise<KeyRow[]> {
  return db.query(sql`
    select c.relname as table_name, k.contype as kind, p.relname as parent,
      (select array_agg(a.attname::text order by n.place) from unnest(k.conkey) with ordinality n (number, place)
        join pg_attribute a on a.attrelid = k.conrelid and a.attnum = n.number) as columns
    from pg_constraint k join pg_class c on c.oid = k.conrelid left join pg_class p on p.oid = k.confrelid
    where c.relnamespace = 'public'::regnamespace and k.contype in ('p', 'f') and c.relname = any(${tables}::text[])
    union all
    select c.relname, 'u', null,
      (select array_agg(a.attname::text order by n.place) from unnest(x.indkey) with ordinality n (number, place)
        join pg_attribute a on a.attrelid = x.indrelid and a.attnum = n.number)
    from pg_index x join pg_class c on c.oid = x.indrelid
    where c.relnamespace = 'public'::regnamespace and x.indisunique and x.indpred is null and x.indexprs is null
      and c.relname = any(${tables}::text[])
    order by 1, 2, 4`)
}

export type CarriedLine = { line: string; place: string[]; secretsSet: string[] }

const named = (name: string) => raw(`"${name}"`)
const of = (name: string) => raw(`t."${name}"`)

export type PageQuery = {
  workspaceId: string
  /** What is private is theirs alone. */
  exporter: string
  /** Of a table without `workspace_id`: rows of these parents only. */
  parents: { column: string; ids: readonly string[] } | null
  after: readonly string[] | null
  limit: number
}

/** Lines as the archive has them, made by the database, so that no number and no order of fields is lost. */
export function readPage(db: Db, shape: Shape, query: PageQuery): Promise<CarriedLine[]> {
  const { table, columns, order, isVisible, needs, unless } = shape
  const fields = columns.map(column => sql`${carriedValue(shape, column)} as ${named(column.name)}`)
  const places = order.map(({ name }) => sql`${of(name)}::text`)
  const where = [
    query.parents
      ? sql`${of(query.parents.column)} = any(${query.parents.ids}::text[])`
      : sql`t.workspace_id = ${query.workspaceId}`,
    ...(isVisible ? [sql`(t.visibility <> 'private' or t.owner_id = ${query.exporter})`] : []),
    ...(needs ? [sql`${of(needs)} is not null`] : []),
    ...(unless ? [sql`${of(unless)} is null`] : []),
    ...(query.after ? [behind(order, query.after)] : []),
  ]
  const by = order.map(({ name }) => sql`${of(name)}`)
  return db.query(
    plannedAnew(sql`
    select (select row_to_json(f) from (select ${join(fields, ', ')}) f)::text as line,
      array[${join(places, ', ')}] as place, ${secretNames(shape)} as secrets_set
    from ${named(table)} t where ${join(where, ' and ')} order by ${join(by, ', ')} limit ${query.limit}::int`),
  )
}

function behind(order: Shape['order'], after: readonly string[]): Sql {
  const names = order.map(({ name }) => sql`${of(name)}`)
  const values = order.map(({ type }, index) => sql`${after[index]}::text::${raw(type)}`)
  return sql`(${join(names, ', ')}) > (${join(values, ', ')})`
}

function carriedValue({ stilled = {} }: Shape, { name, type }: { name: string; type: string }): Sql {
  const value = plainValue(name, type)
  const still = stilled[name]
  if (!still) return value
  const given = (to: unknown) => (to === null ? sql`null` : sql`${String(to)}::text::${raw(type)}`)
  if (isConditional(still)) return sql`case when ${of(still.when)} then ${given(still.is)} else ${value} end`
  const values = still as Values
  if (Object.hasOwn(values, '*')) return given(values['*'])
  const cases = Object.entries(values).map(([from, to]) => sql`when ${from}::text then ${given(to)}`)
  return sql`case ${of(name)}::text ${join(cases, ' ')} else ${value} end`
}

/** To the microsecond, whatever the time zone of the session is. */
function plainValue(name: string, type: string): Sql {
  if (type !== 'timestamp with time zone') return sql`${of(name)}`
  return sql`to_char(${of(name)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
}

/** Of an object its names, of any other value the name of its column. */
function secretNames({ secrets = [] }: CarriedTable): Sql {
  if (secrets.length === 0) return sql`'{}'::text[]`
  const names = secrets.map(
    name => sql`
    case when ${of(name)} is null then '{}'::text[]
      when jsonb_typeof(to_jsonb(${of(name)})) = 'object' then
        array(select k from jsonb_object_keys(to_jsonb(${of(name)})) k order by k)
      else array[${name}::text] end`,
  )
  return sql`(${join(names, ' || ')})`
}

/** Those of these ids that rows of the table have, in whichever workspace. */
export async function takenIds(db: Db, table: string, column: string, ids: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    plannedAnew(
      sql`select t.${named(column)} as id from ${named(table)} t where t.${named(column)} = any(${ids}::text[])`,
    ),
  )
  return rows.map(({ id }) => id)
}

/** Lines of the archive, as they are; what they do not say gets its default. */
export async function insertLines(
  db: Db,
  { table, hasWorkspace, blanks }: Shape,
  columns: readonly string[],
  workspaceId: string,
  lines: readonly string[],
): Promise<void> {
  const into = [...columns, ...blanks].map(name => sql`${named(name)}`)
  const values = [...columns.map(name => sql`r.${named(name)}`), ...blanks.map(() => sql`'{}'::jsonb`)]
  if (hasWorkspace) {
    into.push(sql`workspace_id`)
    values.push(sql`${workspaceId}::text`)
  }
  await db.query(
    plannedAnew(sql`
    insert into ${named(table)} (${join(into, ', ')})
    select ${join(values, ', ')} from json_populate_recordset(null::${named(table)}, ${`[${lines.join(',')}]`}::json) r`),
  )
}

/** What was left out until the rows that it names were there. */
export async function fillSelves(
  db: Db,
  table: string,
  column: string,
  pairs: readonly { id: string; value: string }[],
): Promise<void> {
  await db.query(
    plannedAnew(sql`
    update ${named(table)} t set ${named(column)} = p.value
    from json_to_recordset(${JSON.stringify(pairs)}::json) as p (id text, value text) where t.id = p.id`),
  )
}
