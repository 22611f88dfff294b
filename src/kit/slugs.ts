// Names in addresses, made from names of people's choosing.
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

/** The slug of the name, with a few random characters where that one is taken. */
export async function freeSlug(name: string, isTaken: (slug: string) => Promise<boolean>): Promise<string> {
  const slug = slugOf(name)
  return (await isTaken(slug)) ? variantOf(slug) : slug
}

/** The same name with a few random characters, where the plain one is taken. */
export function variantOf(slug: string): string {
  return `${slug}-${suffix()}`
}
