// The keys that work everywhere, on one page.
import { Kbd, Modal, Table } from '@mantine/core'
import { useOs } from '@mantine/hooks'
import { useParams } from '@tanstack/react-router'
import { placeAt } from '../areas/define.ts'
import { lettered } from './shortcuts.ts'

export function ShortcutHelp({ onClose }: { onClose: () => void }) {
  const { area = '' } = useParams({ strict: false }) as { area?: string }
  const isMac = ['macos', 'ios'].includes(useOs())
  const keys: [string[], string][] = [
    [[isMac ? '⌘' : 'Ctrl', 'K'], 'Search pages, records and actions'],
    [['?'], 'Show this list'],
    [['c'], 'Create, on a list'],
    [['j'], 'Next row'],
    [['k'], 'Previous row'],
    ...Object.entries(placeAt(area)?.keys ?? {}).map(([key, words]): [string[], string] => [
      [key],
      `${words}, on a record`,
    ]),
    ...lettered.map(({ letter = '', title }): [string[], string] => [['g', letter], `Go to ${title}`]),
  ]
  return (
    <Modal opened onClose={onClose} title="Keyboard shortcuts">
      <Table aria-label="Keyboard shortcuts" withRowBorders={false}>
        <Table.Tbody>
          {keys.map(([combination, words]) => (
            <Table.Tr key={words}>
              <Table.Th scope="row" w={120}>
                {combination.map(key => (
                  <Kbd key={key} mr={4}>
                    {key}
                  </Kbd>
                ))}
              </Table.Th>
              <Table.Td>{words}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  )
}
