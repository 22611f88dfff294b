// Pages: reports that were published, and who can read them.
import { FileText } from 'lucide-react'
import { defineArea } from '../define.ts'

export const page = defineArea({
  icon: FileText,
  order: 40,
  letter: 'p',
  words: 'published shared reports links',
  about: 'Reports that were published: who shared what, and how often it was read.',
  none: 'Publish an issue or an autofix, and its page is listed here.',
  columns: ['title', 'visibility', 'views', 'createdBy', 'expiresAt', 'deleted', 'created'],
  labels: {
    ownerId: 'Owner',
    createdBy: 'Shared by',
    deleted: 'Revoked',
    deletedBy: 'Revoked by',
    redactions: 'Redacted',
    url: 'Address',
    q: 'Title',
  },
  usual: { orderBy: 'created', order: 'desc' },
  views: () => import('./views.tsx'),
})
