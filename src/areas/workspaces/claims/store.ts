// SQL of people whom an import brought: members who have no account here, until somebody claims them.
import { raw, type Sql, sql } from '../../../kit/sql.ts'

/** Of rows of members under this name: only people who can act. Nobody can log in as a placeholder. */
export function canAct(members: 'm' | 'o'): Sql {
  return sql`not exists (select from placeholders p where p.user_id = ${raw(`${members}.user_id`)})`
}
