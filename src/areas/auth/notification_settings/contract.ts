// What a user wants to be told, and where: one record, replaced whole.
import { Type } from 'typebox'
import { area } from '../../../contract/operation.ts'
import { object, record } from '../../../contract/records.ts'

const channels = object({ web: Type.Boolean(), email: Type.Boolean() })

export const NotificationSettings = record('NotificationSettings', {
  globalChannels: channels,
  preferences: Type.Record(Type.String({ pattern: '^[a-z_]+(\\.[A-Za-z_]+)+$' }), channels, {
    additionalProperties: false,
    maxProperties: 500,
    examples: [{ 'workspace_members.invites.post': { web: true, email: false } }],
  }),
  updates: object({ digest: Type.Boolean(), product: Type.Boolean(), security: Type.Boolean() }),
})

export const notificationSettings = area('auth.notification_settings', {
  'auth.notification_settings.get': {
    summary: 'Show my notification settings',
    route: 'GET /v1/auth/notifications',
    access: 'user',
    result: NotificationSettings,
    errors: ['not_found'],
    etag: true,
  },
  'auth.notification_settings.put': {
    summary: 'Replace my notification settings',
    route: 'PUT /v1/auth/notifications',
    access: 'user',
    body: NotificationSettings,
    result: NotificationSettings,
    errors: ['not_found'],
    etag: true,
  },
})
