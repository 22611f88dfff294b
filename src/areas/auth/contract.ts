// Accounts: sign-up, verification, log-in, password and profile; sessions and settings are spread in.
import { Type } from 'typebox'
import { id, UserId } from '../../contract/ids.ts'
import { area } from '../../contract/operation.ts'
import { deleted, nullable, object, personal, record, secret, timestamp } from '../../contract/records.ts'
import { agentCallers } from '../../contract/scopes.ts'
import { Grant, grants } from './grants/contract.ts'
import { InboxEntry, inbox } from './inbox/contract.ts'
import { NotificationSettings, notificationSettings } from './notification_settings/contract.ts'
import { Session, sessions } from './sessions/contract.ts'

const email = Type.String({ format: 'email', minLength: 1, maxLength: 254, examples: ['ada@example.com'] })
const name = Type.String({ maxLength: 256, examples: ['Ada'] })
const code = secret({ minLength: 6, maxLength: 64, examples: ['7K3M-9QXD'] })
const anyPassword = secret({ minLength: 1, maxLength: 256, examples: ['Correct4Horse!'] })

/** The rule of the specification to the letter. */
const password = secret({
  minLength: 8,
  maxLength: 256,
  pattern: '^(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9])(?=.*[@$!%*?&])[A-Za-z0-9@$!%*?&]+$',
  'x-rules': [
    ['[a-z]', 'a lowercase letter'],
    ['[A-Z]', 'an uppercase letter'],
    ['[0-9]', 'a digit'],
    ['[@$!%*?&]', 'one of @$!%*?&'],
    ['^[A-Za-z0-9@$!%*?&]*$', 'no other characters than letters, digits and @$!%*?&'],
  ],
  'x-hint': 'a lowercase letter, an uppercase letter, a digit and one of @$!%*?&, and nothing but these',
  examples: ['Correct4Horse!'],
})

const username = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{1,63}$',
  'x-hint': '2 to 64 letters, digits, dots, hyphens or underscores, beginning with a letter or digit',
  examples: ['ada'],
})

export const User = record('User', {
  id: UserId,
  forename: personal(name),
  surname: personal(nullable(name)),
  email: personal(nullable(email)),
  username: personal(nullable(username)),
  emailVerified: Type.Boolean(),
  created: timestamp,
  updated: timestamp,
})

const Me = record('Me', {
  ...User.properties,
  unread: Type.Optional(
    Type.Integer({ minimum: 0, description: 'How much in my inbox is unread; there if asked for with a session.' }),
  ),
})

export const EmailChangeId = id('email_change', 24)

const Activity = record('Activity', {
  at: timestamp,
  action: Type.String(),
  outcome: Type.String(),
  workspaceId: nullable(Type.String()),
  address: nullable(Type.String()),
  userAgent: nullable(Type.String()),
})

const Export = record('AccountExport', {
  user: User,
  notificationSettings: NotificationSettings,
  inbox: Type.Array(InboxEntry),
  sessions: Type.Array(Session),
  memberships: Type.Array(
    object({ workspaceId: Type.String(), workspaceName: Type.String(), position: Type.String(), created: timestamp }),
  ),
  teams: Type.Array(object({ id: Type.String(), workspaceId: Type.String(), name: Type.String(), created: timestamp })),
  apiKeys: Type.Array(
    object({ id: Type.String(), workspaceId: Type.String(), name: Type.String(), created: timestamp }),
  ),
  records: Type.Array(
    object({
      object: Type.String({ examples: ['api_key'] }),
      id: Type.String(),
      workspaceId: Type.String(),
      title: Type.String(),
      created: timestamp,
    }),
    { description: 'Everything that I own, of whatever kind.' },
  ),
  emailChanges: Type.Array(object({ oldEmail: Type.String(), newEmail: nullable(Type.String()), created: timestamp })),
  grants: Type.Array(Grant),
  activity: Type.Array(Activity),
})

const nothing = object({})

/** Without the sub-resources, which have folders of their own. */
export const accounts = area('auth', {
  'auth.signup': {
    summary: 'Sign up with an e-mail address and a password',
    route: 'POST /v1/auth/signup',
    access: 'public',
    body: object({
      email: personal(email),
      password,
      turnstileToken: Type.Optional(secret({ maxLength: 4096 })),
      ref: Type.Optional(Type.String({ maxLength: 1024, examples: ['newsletter'] })),
      inviteToken: Type.Optional(secret({ maxLength: 128 })),
    }),
    result: object({ user: User, token: Type.Optional(secret()) }),
    errors: ['unauthorized'],
    cookie: 'set',
  },
  'auth.verifyEmail': {
    summary: 'Prove an e-mail address with the code that was mailed to it',
    route: 'POST /v1/auth/verify_email',
    access: 'public',
    body: object({ code, email: personal(email) }),
    result: object({ token: secret() }),
    cookie: 'set',
  },
  'auth.login': {
    summary: 'Log in with an e-mail address or username and a password',
    route: 'POST /v1/auth/login',
    access: 'public',
    body: object({
      email: Type.Optional(personal(email)),
      username: Type.Optional(personal(Type.String({ minLength: 1, maxLength: 254 }))),
      password: anyPassword,
    }),
    result: object({ user: User, token: secret() }),
    errors: ['unauthorized'],
    cookie: 'set',
  },
  'auth.logout': {
    summary: 'Log out: the presented session ends at once',
    description: 'Answers 200 whatever is sent. An API key is unaffected.',
    route: 'POST /v1/auth/logout',
    access: 'public',
    result: object({ token: Type.String({ description: 'Always empty.', examples: [''] }) }),
    cookie: 'clear',
  },
  'auth.whoami': {
    summary: 'Show the user behind the credential',
    route: 'GET /v1/auth/whoami',
    words: 'who current user account me profile identity',
    access: 'credential',
    unverified: true,
    query: object({
      unread: Type.Optional(Type.Boolean({ default: false, description: 'Count what is unread in my inbox, too.' })),
    }),
    result: Me,
  },
  'auth.patch': {
    summary: 'Change my profile',
    description: 'A new e-mail address counts once the code mailed to it is sent to `auth.verifyEmail`.',
    route: 'PATCH /v1/auth/me',
    words: 'profile name email username user',
    access: 'user',
    body: object({
      forename: Type.Optional(personal(name)),
      surname: Type.Optional(personal(nullable(name))),
      email: Type.Optional(personal(nullable(email))),
      username: Type.Optional(personal(nullable(username))),
    }),
    result: User,
  },
  'auth.del': {
    summary: 'Delete my account, at once and for good',
    route: 'DELETE /v1/auth/me',
    words: 'close account remove me',
    access: 'user',
    restricted: agentCallers,
    unverified: true,
    result: deleted('user', { id: UserId }),
  },
  'auth.generatePasswordResetCode': {
    summary: 'Mail a code that resets the password',
    description: 'Answers alike for every address.',
    route: 'POST /v1/auth/generate_password_reset',
    access: 'public',
    body: object({ email: personal(email) }),
    result: object({ message: Type.String() }),
    status: 202,
    audit: false,
  },
  'auth.resetPassword': {
    summary: 'Set a new password with a mailed code',
    description: 'Ends all sessions and applications of the user; API keys stay.',
    route: 'POST /v1/auth/reset_password',
    access: 'public',
    body: object({ code, email: personal(email), password }),
    result: nothing,
    status: 202,
  },
  'auth.resendVerification': {
    summary: 'Mail the verification code again',
    description: 'Answers alike for every address.',
    route: 'POST /v1/auth/resend_verification',
    access: 'public',
    body: object({ email: personal(email) }),
    result: object({ message: Type.String() }),
    status: 202,
    audit: false,
  },
  'auth.changePassword': {
    summary: 'Change my password; my other sessions end',
    route: 'POST /v1/auth/change_password',
    words: 'new password reset set',
    access: 'user',
    body: object({ oldPassword: anyPassword, newPassword: password }),
    result: nothing,
  },
  'auth.undoEmailChange': {
    summary: 'Take back a change of e-mail address',
    description: 'With the token mailed to the old address, for seven days; ends all sessions of the user.',
    route: 'POST /v1/auth/undo_email_change',
    access: 'public',
    body: object({ token: secret({ maxLength: 128 }) }),
    result: nothing,
  },
  'auth.export': {
    summary: 'Export everything about me',
    route: 'GET /v1/auth/export',
    words: 'gdpr personal data download',
    access: 'user',
    result: Export,
  },
})

export const auth = area(
  'auth',
  {
    ...accounts.operations,
    ...sessions.operations,
    ...notificationSettings.operations,
    ...inbox.operations,
    ...grants.operations,
  },
  {
    about: 'Accounts: sign-up, log-in, profile, sessions and connected applications.',
    leaves: {
      users: 'people are carried by themselves, with a name and a verified address',
      sessions: 'opens an account',
      codes: 'proves an address',
      email_changes: 'is of an account',
      notification_settings: 'is of an account',
      inbox_entries: 'is the inbox of one person',
      tries: 'is counted again',
    },
    events: grants.events,
    attaches: inbox.attaches,
  },
)
