// What the service calls by the names of fields and operations, in the words of these pages.
import { labelOfField } from './provider_fields.ts'

export function spoken(text: string): string {
  return text
    .replace(/\b(?:config|credentials)\.(\w+)/g, (_, name: string) => `“${labelOfField(name)}”`)
    .replaceAll('cloud_accounts.validate', '“Validate”')
}
