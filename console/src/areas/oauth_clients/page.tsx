// OAuth clients: applications that people can let act for them.
import { AppWindow } from 'lucide-react'
import { defineArea } from '../define.ts'

export const page = defineArea({
  one: 'OAuth client',
  icon: AppWindow,
  group: 'Access',
  order: 4,
  letter: 'o',
  words: 'applications apps',
  about: 'Applications that people can let act for them.',
  none: 'Register an application, and people can let it in with the scopes they choose.',
  columns: ['name', 'type', 'isActive', 'scopes', 'lastUsedAt'],
  labels: {
    isActive: 'Active',
    redirectUris: 'Redirect URIs',
    grants: 'Grant types',
    lastUsedAt: 'Last used',
    id: 'Client ID',
    websiteUrl: 'Website',
    logoUrl: 'Logo',
    privacyPolicyUrl: 'Privacy policy',
    termsOfServiceUrl: 'Terms of service',
    contactEmail: 'Contact',
  },
  saved: [
    { title: 'Active', search: { isActive: 'true' } },
    { title: 'Confidential', search: { type: 'confidential' } },
  ],
  fields: [
    { name: 'name', group: 'Application', about: 'People read it when they are asked.' },
    { name: 'type', group: 'Application', start: 'public' },
    {
      name: 'redirectUris',
      group: 'Application',
      about: 'https, http on 127.0.0.1, or a private scheme with a dot; matched exactly. Enter adds one.',
      check: (value, draft) =>
        (draft.grants as string[]).includes('code') && (value as string[]).length === 0
          ? 'Add the address that people are sent back to'
          : null,
    },
    {
      name: 'grants',
      group: 'Application',
      start: ['code', 'refresh'],
      about:
        'Code: in a browser. Refresh: stays logged in. Device: by a code typed elsewhere. Client credentials: acts for itself, as a member (confidential only).',
    },
    { name: 'scopes', group: 'Scopes' },
    { name: 'description', group: 'On the consent page' },
    { name: 'websiteUrl', group: 'On the consent page' },
    { name: 'logoUrl', group: 'On the consent page' },
    { name: 'privacyPolicyUrl', group: 'On the consent page' },
    { name: 'termsOfServiceUrl', group: 'On the consent page' },
    { name: 'contactEmail', group: 'On the consent page' },
  ],
  subs: {
    grants: {
      title: 'Consents',
      one: 'consent',
      columns: ['userId', 'scopes', 'lastUsedAt', 'expiresAt'],
      labels: { userId: 'Who', scopes: 'Allowed', lastUsedAt: 'Last used', expiresAt: 'Expires' },
      none: 'Whoever lets it in shows here, with what they allowed.',
      remove: 'Revoke',
      removal: 'Its tokens for this person end at once. They can be asked again.',
    },
  },
  views: () => import('./views.tsx'),
})
