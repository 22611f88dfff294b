// Carries out the operations on notification settings.
import { badRequest, notFound } from '../../../contract/errors.ts'
import { isUnchanged } from '../../../kit/etag.ts'
import { implement } from '../../../kit/implement.ts'
import { notifications } from '../../../operations.ts'
import { notificationSettings } from './contract.ts'
import * as store from './store.ts'

export default implement(notificationSettings, {
  'auth.notification_settings.get': async ({ db, caller }) => existing(await store.findSettings(db, caller.ownerId)),

  'auth.notification_settings.types': async () => {
    const types = Object.entries(notifications).map(([type, { title }]) => ({ type, title }))
    return { types: types.sort((one, other) => (one.type < other.type ? -1 : 1)) }
  },

  'auth.notification_settings.put': async ({ db, caller, now, note, origin }, settings) => {
    const before = existing(await store.findSettingsForUpdate(db, caller.ownerId))
    if (!isUnchanged(origin.ifMatch, before)) {
      throw badRequest('The settings were changed since you read them; read them again.')
    }
    note({ before, target: { object: 'notification_settings', id: caller.ownerId } })
    await store.putSettings(db, caller.ownerId, settings, now())
    return settings
  },
})

function existing<T>(settings: T | undefined): T {
  if (settings === undefined) throw notFound('notification settings')
  return settings
}
