// Names that somebody may have meant.
import { near } from '../../../contract/near.ts'

/** `; did you mean …?` where something is near, else nothing. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const found = nearest(name, known)
  return found.length > 0 ? `; did you mean ${found.join(' or ')}?` : ''
}

/** At most two. Long names are no misspelt ones, and would take long to compare. */
export function nearest(name: string, known: Iterable<string>): string[] {
  return name.length > 100 ? [] : near(name, [...new Set(known)], 2)
}
