// How cloud accounts show: their state in words, rights, syncs, and what to paste at the provider.
import { Text } from '@mantine/core'
import { RefreshCw, ShieldCheck } from 'lucide-react'
import { wordsOf } from '../../format.ts'
import { whenNeeded } from '../../lazily.tsx'
import type { Row } from '../../named.ts'
import { ownerAreas } from '../../parts/people.tsx'
import type { CellProps, Views } from '../define.ts'
import { About } from './about.tsx'
import { type Account, hasRights, isSent, providerIn, takesUpload, useCatalog } from './account.ts'
import { NewAccount } from './new_account.tsx'
import { RightsTab, ValidateDialog } from './rights.tsx'
import { Notice, presets, StatusCell } from './state.tsx'
import { Syncs } from './syncs.tsx'

type PartProps = { record: Row }

const Setup = whenNeeded<PartProps>('CloudSetup', async () => (await import('./setup.tsx')).Setup)
const Upload = whenNeeded<PartProps>('CloudUpload', async () => (await import('./upload.tsx')).Upload)

function ProviderCell({ value }: CellProps) {
  return (
    <Text size="sm" className="atrium-nowrap">
      {providerIn(useCatalog().data, value)?.title ?? wordsOf(String(value))}
    </Text>
  )
}

const Count = ({ value }: CellProps) => <Text size="sm">{Number(value).toLocaleString('en')}</Text>

export const views: Views = {
  cells: { provider: ProviderCell, status: StatusCell, nodeCount: Count },
  notice: Notice,
  form: NewAccount,
  presets,
  acts: {
    sync: {
      label: 'Sync',
      icon: RefreshCw,
      about: 'It is read now, whatever its interval says.',
      done: 'A sync begins.',
      isOffered: record => {
        const account = record as Account
        return !isSent(account) && account.status !== 'syncing' && account.status !== 'disconnected'
      },
    },
    validate: {
      label: 'Validate',
      icon: ShieldCheck,
      dialog: ValidateDialog,
      isOffered: record => !isSent(record as Account) && record.status !== 'disconnected',
    },
    del: { about: 'What was read of it becomes missing. Nothing happens at the provider.' },
  },
  tabs: [
    { name: 'about', title: 'About', view: About },
    { name: 'state', title: 'State', view: Upload, isShown: record => takesUpload(record as Account) },
    { name: 'rights', title: 'Rights', view: RightsTab, isShown: record => hasRights(record as Account) },
    // Of the name of the list that it stands for.
    { name: 'syncs', title: 'Syncs', view: Syncs },
    { name: 'setup', title: 'Setup', view: Setup },
  ],
  useChoices: () => ({ ownerId: { choices: [], areas: ownerAreas } }),
}
