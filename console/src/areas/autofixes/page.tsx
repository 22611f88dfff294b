// Autofixes: changes of code that were proposed as patches, from the check by git to the branch that comes of them.
import { Wrench } from 'lucide-react'
import { defineArea } from '../define.ts'

const open = ['draft', 'proposed', 'approved']

export const page = defineArea({
  icon: Wrench,
  order: 36,
  letter: 'x',
  one: 'Autofix',
  words: 'patches fixes proposals diffs reviews pull requests',
  about: 'Changes of code, proposed as patches by people or agents. Git checks each; people approve it.',
  none: 'Add a repository, then propose a patch for it, or let an agent propose one in a thread.',
  columns: ['title', 'status', 'check', 'repositoryId', 'labels', 'updated'],
  labels: {
    ownerId: 'Proposed by',
    checkState: 'Check',
    baseRef: 'Branch',
    baseSha: 'Made from commit',
    q: 'Title or description',
  },
  fields: [
    'title',
    'repositoryId',
    {
      name: 'patch',
      about: 'As git diff writes it. It must apply to the commit that it was made from.',
      schema: { type: 'string', minLength: 1, maxLength: 1_048_576, 'x-format': 'code' },
    },
    {
      name: 'description',
      about: 'The rest of the message of the commit. Markdown works.',
      schema: { type: 'string', maxLength: 65_536, 'x-format': 'markdown' },
    },
    { name: 'baseRef', about: 'That it is meant for. Empty: the default branch.' },
    { name: 'baseSha', about: 'Empty: the newest of the branch.' },
    'status',
    'issueId',
    { name: 'threadId', about: 'Where lines of the patch are talked about.' },
    'labels',
  ],
  saved: [
    { title: 'Open', search: { status: open } },
    { title: 'To approve', search: { status: 'proposed' } },
    { title: 'With conflicts', search: { status: open, checkState: 'conflict' } },
    { title: 'Applied', search: { status: 'applied' } },
    { title: 'Closed', search: { status: ['merged', 'rejected', 'superseded', 'failed'] } },
  ],
  usual: { orderBy: 'updated', order: 'desc' },
  views: () => import('./views.tsx'),
})
