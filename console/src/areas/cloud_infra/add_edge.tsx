// An edge that no source tells of, added by hand.
import { Modal } from '@mantine/core'
import type { FieldHint } from '../../form/field.ts'
import { Form } from '../../form/form.tsx'
import { done } from '../../parts/toast.tsx'
import { useWorkspaceId } from '../../session.ts'
import { type InfraEdge, type InfraNode, relationWords } from './node.ts'

/** `reads out` and `reads in`: the relation, and which of the two it begins at. */
function fieldsFor(name: string): FieldHint[] {
  const relations = Object.entries(relationWords).flatMap(([relation, [out, into]]) => [
    { value: `${relation} out`, label: `${name} ${out} …` },
    { value: `${relation} in`, label: `${name} ${into} …` },
  ])
  return [
    { name: 'way', label: 'What it has to do with it', schema: { type: 'string' }, choices: relations, isNeeded: true },
    { name: 'toId', label: 'The other node', autoFocus: false },
  ]
}

export function AddEdge({ node: { id, name }, onClose }: { node: InfraNode; onClose: () => void }) {
  const workspaceId = useWorkspaceId()
  return (
    <Modal opened onClose={onClose} title="Add an edge">
      <Form
        id="cloud_infra.edges.post"
        fixed={{ workspaceId }}
        fields={fieldsFor(name)}
        label="Add"
        cancel={onClose}
        toInput={({ way, toId: other }) => {
          const [relation, direction] = String(way).split(' ')
          const ends = direction === 'out' ? { fromId: id, toId: other } : { fromId: other, toId: id }
          return { relation: relation as InfraEdge['relation'], ...ends }
        }}
        onDone={() => {
          onClose()
          done('The edge is added.')
        }}
      />
    </Modal>
  )
}
