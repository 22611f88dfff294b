// Cloud accounts: where the infrastructure is read from.
import { CloudCog } from 'lucide-react'
import { defineArea } from '../define.ts'

export const page = defineArea({
  title: 'Cloud accounts',
  one: 'Cloud account',
  icon: CloudCog,
  order: 36,
  words: 'aws kubernetes docker terraform compose manifests telemetry push clusters providers infrastructure sources',
  about: 'Where the picture of your infrastructure is read from, with which rights, and how the last reading went.',
  none: 'Add one: a cluster, an AWS account, a Terraform state, manifests in a repository, or anything that pushes.',
  columns: ['name', 'provider', 'status', 'nodeCount', 'lastSyncAt', 'labels'],
  labels: {
    ownerId: 'Owner',
    externalId: 'Called there',
    nodeCount: 'Nodes',
    lastSyncAt: 'Last read',
    q: 'Name or external id',
  },
  isEditable: false,
  usual: { orderBy: 'name', order: 'asc' },
  saved: [
    { title: 'With errors', search: { status: ['error', 'degraded'] } },
    { title: 'Disconnected', search: { status: 'disconnected' } },
  ],
  views: () => import('./views.tsx'),
})
