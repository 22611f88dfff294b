// API keys: credentials for programs, each with its own scopes.
import { KeyRound } from 'lucide-react'
import { defineArea } from '../define.ts'

export const page = defineArea({
  title: 'API keys',
  one: 'API key',
  path: 'keys',
  icon: KeyRound,
  group: 'Access',
  order: 1,
  letter: 'k',
  words: 'token secret credential',
  about: 'Credentials for programs, each with its own scopes.',
  none: 'Create one to call the API, the command line or MCP with.',
  columns: ['name', 'hint', 'scopes', 'ownerId', 'expires', 'lastActive', 'created'],
  labels: {
    hint: 'Secret',
    ownerId: 'Owner',
    lastActive: 'Last used',
    allowedIps: 'Allowed IP addresses',
    createdBy: 'Created with',
    createdByUserId: 'Created by',
  },
  hidden: ['scopeUse', 'oldSecretUntil'],
  fields: [
    { name: 'name', group: 'Key', about: 'Say what uses it; you will be glad when you come back to it.' },
    { name: 'expires', group: 'Key', about: 'Empty: it does not expire.' },
    { name: 'allowedIps', group: 'Key', about: 'Addresses or ranges, such as 203.0.113.0/24. Empty: from anywhere.' },
    { name: 'scopes', group: 'Scopes' },
  ],
  views: () => import('./views.tsx'),
})
