// Whose dashboards there are, besides one's own.
import type { Role } from '../../../../src/client/catalogue.ts'

export type { Role }

export const roles: readonly { value: Role; label: string }[] = [
  { value: 'owner', label: 'owners' },
  { value: 'admin', label: 'admins' },
  { value: 'member', label: 'members' },
  { value: 'viewer', label: 'viewers' },
]
