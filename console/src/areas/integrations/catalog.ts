// The types of integrations as the service describes them, and what the console calls their directions.
import type { ItemOf, ResultOf } from '../../../../src/client/catalogue.ts'
import { useCall } from '../../api.ts'

export type Integration = ItemOf<'integrations.list'>
export type Catalog = ResultOf<'integrations.catalog'>
export type CatalogType = Catalog['types'][number]
export type Direction = CatalogType['directions'][number]

export function useCatalog() {
  return useCall('integrations.catalog', {})
}

export function typeIn(catalog: Catalog | undefined, type: unknown): CatalogType | undefined {
  return catalog?.types.find(one => one.type === type)
}

export const directions: Readonly<Record<Direction, { title: string; about: string; badge: string }>> = {
  out: { title: 'Send events', about: 'What happens here is told to another system.', badge: 'Events out' },
  in: { title: 'Take alerts and pushes', about: 'Another system sends to an address of its own here.', badge: 'In' },
  tools: { title: 'Ask and use', about: 'People and agents ask the other system.', badge: 'Tools' },
}

/** `issues.*` means all that begins so, `*` everything. */
export function isMeant(glob: string, id: string): boolean {
  if (glob === '*') return true
  return glob.endsWith('.*') ? id.startsWith(glob.slice(0, -1)) : glob === id
}

/** Expressions are for payloads that no format is known of. */
export function isMapped({ type, config }: Integration): boolean {
  return type === 'inbound' && (config.format ?? 'generic') === 'generic'
}

/** What must be there at the other end, in the words of this page. */
export function needsOf({ needs }: CatalogType): string {
  return needs.replaceAll('inboundUrl', 'the address that you get here').replaceAll('`', '')
}
