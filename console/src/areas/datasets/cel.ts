// Filters in CEL: how a field and a value are written, and how a filter is made narrower.

/** Fields are listed as `attributes.http.route`; CEL writes attributes["http.route"]. */
export function celField(name: string): string {
  const [, owner, key] = /^(attributes|resource)\.(.+)$/s.exec(name) ?? []
  return owner === undefined || key === undefined ? name : `${owner}[${JSON.stringify(key)}]`
}

/** Null where no filter can compare with it. */
export function celValue(value: unknown): string | null {
  if (value === null) return 'null'
  if (typeof value === 'string') return JSON.stringify(value)
  return typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value)) ? String(value) : null
}

/** The filter, and this field with, or without, this value. */
export function narrowed(filter: string, field: string, value: unknown, isKept: boolean): string {
  const condition = `${celField(field)} ${isKept ? '==' : '!='} ${celValue(value)}`
  return both(filter, condition)
}

export function both(filter: string, condition: string): string {
  const known = filter.trim()
  if (known === '' || known === condition) return condition
  return `${known.includes('||') ? `(${known})` : known} && ${condition}`
}

/** Only rows of these groups; null where one of them cannot be written. */
export function ofGroups(fields: readonly string[], groups: readonly (readonly unknown[])[]): string | null {
  const written = groups.map(group => fields.map((field, index) => [celField(field), celValue(group[index])] as const))
  if (written.some(parts => parts.some(([, value]) => value === null))) return null
  const each = written.map(parts => parts.map(([field, value]) => `${field} == ${value}`).join(' && '))
  return `(${each.map(one => (fields.length > 1 ? `(${one})` : one)).join(' || ')})`
}
