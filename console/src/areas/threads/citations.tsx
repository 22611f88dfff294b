// Records that a message or a thread refers to: chips that lead to them.
import { Group } from '@mantine/core'
import { Link2 } from 'lucide-react'
import { areaOfObject, hasOperation, idIn } from '../../contract.ts'
import { wordsOf } from '../../format.ts'
import { LinkText } from '../../parts/links.tsx'
import { useWorkspaceId } from '../../session.ts'
import { useNames } from '../../table/references.ts'
import { placeOfArea } from '../define.ts'

export type Cited = { object: string; id: string; range?: string | undefined }

export function Citations({ cited, label }: { cited: readonly Cited[]; label: string }) {
  const kinds = [...new Set(cited.map(({ object }) => object))].flatMap(object => areaOfObject(object) ?? [])
  const names = useNames(
    kinds
      // Messages are not listed by their ids.
      .filter(({ name }) => name !== 'messages')
      .map(area => ({ area, ids: cited.filter(({ object }) => object === area.object).map(({ id }) => id) })),
  )
  if (cited.length === 0) return null
  return (
    <Group gap={6} component="ul" className="atrium-plain-list" aria-label={label}>
      {cited.map(one => (
        <li key={`${one.object}/${one.id}/${one.range ?? ''}`}>
          <Chip cited={one} name={names.get(one.id)} />
        </li>
      ))}
    </Group>
  )
}

function Chip({ cited: { object, id, range }, name }: { cited: Cited; name: string | undefined }) {
  const workspaceId = useWorkspaceId()
  const place = placeOfArea(areaOfObject(object)?.name ?? '')
  const Icon = place?.icon ?? Link2
  const words = (
    <>
      <Icon size={13} aria-hidden />
      <span className="atrium-chip-words">{name ?? place?.one ?? wordsOf(object)}</span>
      {range && <span className="atrium-chip-range">{range}</span>}
    </>
  )
  if (!place || !hasOperation(idIn(place.area, 'get'))) return <span className="atrium-chip">{words}</span>
  return (
    <LinkText to={`/w/${workspaceId}/${place.path}/${id}` as '/'} className="atrium-chip" underline="never" inherit>
      {words}
    </LinkText>
  )
}
