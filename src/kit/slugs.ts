// Names in addresses, made from names of people's choosing.
import { conflict } from '../contract/errors.ts'
import { randomText } from './random.ts'

/** Letters and digits with single hyphens between them; at least three characters. */
export function slugOf(name: string, longest = 40): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const slug = plain
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, longest)
    .replace(/^-+|-+$/g, '')
  return slug.length >= 3 ? slug : [slug, suffix()].filter(Boolean).join('-')
}

function suffix(): string {
  return randomText('0123456789abcdefghijklmnopqrstuvwxyz', 6)
}

const mostVariants = 5

/**
 * Makes a record under the slug of its name, with a few random characters where that one is taken, were it in this
 * very moment. `insert` gives undefined, and leaves nothing, where the slug is taken.
 */
export async function underFreeSlug<T>(name: string, insert: (slug: string) => Promise<T | undefined>): Promise<T> {
  const plain = slugOf(name)
  let slug = plain
  for (let tries = 0; tries <= mostVariants; tries++) {
    const made = await insert(slug)
    if (made !== undefined) return made
    slug = `${plain}-${suffix()}`
  }
  throw conflict('No free slug was found for this name; send one as "slug".', { field: 'slug' })
}
