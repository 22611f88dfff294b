// Reads values whose form nobody has promised: what is absent, or of another form, is undefined or empty.

export type Fields = { readonly [name: string]: unknown }

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Own fields only: a file may ask for `constructor`, and may hold `__proto__`. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let here = value
  for (const step of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, step)) return undefined
    here = (here as Fields)[step]
  }
  return here
}

/** Never with `__proto__`, which would set something else where the fields are copied. */
export function entriesOf(value: unknown, most = 10_000): [string, unknown][] {
  if (!isFields(value)) return []
  const entries: [string, unknown][] = []
  for (const name of Object.keys(value)) {
    if (entries.length >= most) break
    if (name !== '__proto__') entries.push([name, value[name]])
  }
  return entries
}

export function fieldsOf(value: unknown): Fields | undefined {
  return isFields(value) ? value : undefined
}

export function listOf(value: unknown, most = 10_000): readonly unknown[] {
  if (!Array.isArray(value)) return []
  return value.length > most ? value.slice(0, most) : value
}

const control = /[\u0000-\u001f\u007f]/

/** Text of one line that can be stored. A longer one is none: half of a name is the name of something else. */
export function textOf(value: unknown, most = 512): string | undefined {
  if (typeof value !== 'string' || value === '' || value.length > most) return undefined
  return control.test(value) || !value.isWellFormed() ? undefined : value
}

export function textsOf(value: unknown, most: number): string[] {
  return listOf(value, most).flatMap(one => textOf(one) ?? [])
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

export function flagOf(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined
}

/** Properties without those that are not known, and without empty lists. */
export function known(properties: Record<string, unknown>): Record<string, unknown> {
  const has = ([, value]: [string, unknown]) => value !== undefined && !(Array.isArray(value) && value.length === 0)
  return Object.fromEntries(Object.entries(properties).filter(has))
}

const secretNames =
  /passw(?:or)?d|passphrase|pwd|secret|token|credential|(?:private|api|access|account)[^a-z]?key|auth(?!or)|cookie|signature|connection[^a-z]?string|(?:^|[^a-z])(?:pass|key|dsn)(?:[^a-z]|$)/i

export function namesSecret(name: string): boolean {
  return secretNames.test(name)
}

/** Forms that nobody gives to a harmless value; whatever else is kept is chosen by its name. */
const secretForms =
  /:\/\/[^/\s]*@|-----BEGIN|\beyJ[\w-]{8,}\.|\b(?:AKIA|ASIA)[A-Z2-7]{16}\b|\bgh[pousr]_\w{20,}|\bgithub_pat_|\bgl[a-z]{2,5}-[\w-]{16,}|\bxox[abeoprs]-|\b[sr]k_(?:live|test)_|\bsk-[\w-]{20,}|\bAIza[\w-]{30,}|\bdop_v1_|\bhvs\.|(?:AccountKey|SharedAccessKey|[Pp]assword|[Pp]wd|[Tt]oken|[Ss]ecret)=/

export function looksSecret(value: string): boolean {
  return secretForms.test(value)
}

const mostTags = 100
const longestTag = 256

export function tagsOf(value: unknown): Record<string, string> {
  const tags: Record<string, string> = {}
  let left = mostTags
  for (const [name, given] of entriesOf(value, 1000)) {
    const text = given === '' ? '' : textOf(typeof given === 'number' ? String(given) : given, 4096)
    if (left === 0) break
    if (text === undefined || textOf(name, longestTag) === undefined || namesSecret(name) || looksSecret(text)) continue
    tags[name] = text.slice(0, longestTag).toWellFormed()
    left--
  }
  return tags
}
