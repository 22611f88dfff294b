// The places of the console, once: the menu and the command palette read them here.
import {
  BadgeCheck,
  Bell,
  ChartColumn,
  Gauge,
  Inbox,
  Laptop,
  Lock,
  type LucideIcon,
  Plug,
  Settings,
  Shield,
  User,
} from 'lucide-react'
import { groups, places, readingOf, type Waiting } from '../areas/define.ts'

/** `needs` is the operation without which the place would be empty. */
export type MenuPlace = {
  title: string
  to: string
  icon: LucideIcon
  needs?: string
  words?: string
  letter?: string
  waiting?: Waiting
}

export const home: MenuPlace = { title: 'Overview', to: '', icon: Gauge, words: 'home start activity', letter: 'h' }
const settings: MenuPlace = {
  title: 'Settings',
  to: '/settings',
  icon: Settings,
  words: 'rename delete timezone',
  letter: 's',
}
const connect: MenuPlace = { title: 'Connect', to: '/connect', icon: Plug, words: 'command line mcp sdk curl' }

const usage: MenuPlace = {
  title: 'Usage',
  to: '/billing',
  icon: ChartColumn,
  needs: 'billing.get',
  words: 'billing plan subscription seats invoices payment limits',
}

/** Below /w/{workspaceId}: the areas by their groups, then what belongs to the workspace itself. */
export const menuGroups: readonly { title: string; places: readonly MenuPlace[] }[] = groups
  .map(title => ({
    title,
    places: [
      ...places
        .filter(place => place.group === title && !place.isHidden)
        .map(({ title: name, path, icon, area, reads, words = '', letter, waiting }) => ({
          title: name,
          to: `/${path}`,
          icon,
          needs: readingOf({ area, ...(reads && { reads }) }),
          words,
          ...(letter && { letter }),
          ...(waiting && { waiting }),
        })),
      ...(title === 'Workspace' ? [usage, settings, connect] : []),
    ],
  }))
  .filter(group => group.places.length > 0)

export const mine: readonly MenuPlace[] = [
  { title: 'Inbox', to: '/me/inbox', icon: Inbox, words: 'notifications unread bell' },
  { title: 'Profile', to: '/me/profile', icon: User, words: 'name e-mail address username' },
  { title: 'Password', to: '/me/password', icon: Lock },
  { title: 'Sessions', to: '/me/sessions', icon: Laptop, words: 'devices log out' },
  { title: 'Notifications', to: '/me/notifications', icon: Bell, words: 'mail settings digest' },
  { title: 'Applications', to: '/me/applications', icon: BadgeCheck, words: 'oauth grants consent' },
  { title: 'Privacy', to: '/me/privacy', icon: Shield, words: 'export delete my account' },
]
