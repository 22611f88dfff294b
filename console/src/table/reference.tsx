// A record that another one refers to: its name, leading to its page where it has one.
import { Text } from '@mantine/core'
import { placeOfArea } from '../areas/define.ts'
import { areaOfId, hasOperation, idIn } from '../contract.ts'
import { LinkText } from '../parts/links.tsx'
import { useWorkspaceId } from '../session.ts'

export function Reference({ id, name }: { id: string; name: string }) {
  const workspaceId = useWorkspaceId()
  const place = placeOfArea(areaOfId(id)?.name ?? '')
  if (!place || !hasOperation(idIn(place.area, 'get'))) return <Text size="sm">{name}</Text>
  return (
    <LinkText to={`/w/${workspaceId}/${place.path}/${id}` as '/'} size="sm" underline="hover">
      {name}
    </LinkText>
  )
}
