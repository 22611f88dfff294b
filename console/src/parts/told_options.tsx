// Options of a field that are ids, each found and shown with what it means.
import { type OptionsFilter, Text } from '@mantine/core'

/** For fields with suggestions; `known` says of each id what it means. */
export function toldOptions(known: ReadonlyMap<string, string>) {
  const filter: OptionsFilter = ({ options, search, limit }) =>
    options
      .filter(option => {
        const id = 'value' in option ? String(option.value) : ''
        return `${id} ${known.get(id) ?? ''}`.toLowerCase().includes(search.trim().toLowerCase())
      })
      .slice(0, limit)
  const renderOption = ({ option }: { option: { value: string } }) => (
    <div>
      <Text size="sm" ff="monospace">
        {option.value}
      </Text>
      <Text size="xs" c="dimmed">
        {known.get(option.value)}
      </Text>
    </div>
  )
  return { data: [...known.keys()], filter, renderOption }
}
