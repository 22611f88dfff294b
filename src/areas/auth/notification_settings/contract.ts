// What a user wants to be told, and where: one record, replaced whole.
import { Type } from 'typebox'
import { area } from '../../../contract/operation.ts'
import { object, record } from '../../../contract/records.ts'

const channels = object({ web: Type.Boolean(), email: Type.Boolean() })

export const NotificationSettings = record('NotificationSettings', {
  globalChannels: { ...channels, description: 'For every type that `preferences` does not name.' },
  preferences: Type.Record(Type.String({ pattern: '^[a-z_]+(\\.[A-Za-z_]+)+$' }), channels, {
    additionalProperties: false,
    maxProperties: 500,
    propertyNames: { maxLength: 128 },
    description: 'By type, as `auth.notification_settings.types` lists them: `web` is the inbox of the console.',
    examples: [{ 'workspace_members.invites.post': { web: true, email: false } }],
  }),
  updates: object({
    digest: Type.Boolean({ description: 'One mail a day, where something happened, instead of one for each.' }),
    product: Type.Boolean(),
    security: Type.Boolean(),
  }),
})

export const notificationSettings = area('auth.notification_settings', {
  'auth.notification_settings.get': {
    summary: 'Show my notification settings',
    route: 'GET /v1/auth/notifications',
    words: 'notifications preferences emails',
    access: 'user',
    result: NotificationSettings,
    errors: ['not_found'],
    etag: true,
  },
  'auth.notification_settings.types': {
    summary: 'List the types of notification that can be turned on and off',
    description: 'Each can stand under `preferences`; where it does not, `globalChannels` decides.',
    route: 'GET /v1/auth/notifications/types',
    words: 'kinds of notifications events emails which',
    access: 'user',
    result: object({
      types: Type.Array(
        object({
          type: Type.String({ examples: ['workspace_members.invites.post'] }),
          title: Type.String({ examples: ['I am invited to a workspace'] }),
        }),
      ),
    }),
  },
  'auth.notification_settings.put': {
    summary: 'Replace my notification settings',
    route: 'PUT /v1/auth/notifications',
    words: 'notifications preferences turn on off email change',
    access: 'user',
    body: NotificationSettings,
    result: NotificationSettings,
    errors: ['not_found'],
    etag: true,
  },
})
