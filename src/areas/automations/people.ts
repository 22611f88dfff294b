// Users whom a value names, so that what is kept of it can go with them.
export function peopleIn(value: unknown): string[] {
  const found = JSON.stringify(value ?? null).match(/usr_[0-9a-z]{32}/g)
  return [...new Set(found ?? [])]
}
