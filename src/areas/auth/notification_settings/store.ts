// SQL of notification settings.
import type { Static } from 'typebox'
import { type Db, first } from '../../../kit/db.ts'
import { sql } from '../../../kit/sql.ts'
import type { NotificationSettings } from './contract.ts'

type Settings = Static<typeof NotificationSettings>

export async function findSettings(db: Db, userId: string): Promise<Settings | undefined> {
  const row = await first<{ settings: Settings }>(
    db,
    sql`
    select settings from notification_settings where user_id = ${userId}`,
  )
  return row?.settings
}

/** For a change that must not be overtaken by another. */
export async function findSettingsForUpdate(db: Db, userId: string): Promise<Settings | undefined> {
  const row = await first<{ settings: Settings }>(
    db,
    sql`
    select settings from notification_settings where user_id = ${userId} for update`,
  )
  return row?.settings
}

export async function putSettings(db: Db, userId: string, settings: Settings, now: Date): Promise<void> {
  await db.query(sql`
    insert into notification_settings (user_id, settings, created, updated)
    values (${userId}, ${JSON.stringify(settings)}::jsonb, ${now}, ${now})
    on conflict (user_id) do update set settings = excluded.settings, updated = excluded.updated`)
}
