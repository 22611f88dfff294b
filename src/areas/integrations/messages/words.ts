// Names of records and fields, as a sentence has them.

/** `api_key` → "API key", `workspaceMember` → "workspace member". */
export function wordsOf(name: string): string {
  return name
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .replace(/\b(api|url|ip|uri|id)(s?)\b/g, (_, word: string, many: string) => word.toUpperCase() + many)
    .replace(/\boauth\b/g, 'OAuth')
    .trim()
}

export function withArticle(noun: string): string {
  return `${/^[aeio]/i.test(noun) ? 'an' : 'a'} ${noun}`
}

export function capital(text: string): string {
  const [first = ''] = text
  return first.toUpperCase() + text.slice(first.length)
}
