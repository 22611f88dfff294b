// Keys that work everywhere: the palette, help, `g` and a letter to go, `c` to create.
import { useNavigate, useParams } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { placeAt } from '../areas/define.ts'
import { hasOperation, idIn } from '../contract.ts'
import { useStanding, useWorkspaceId } from '../session.ts'
import { home, menuGroups } from './places.ts'

export const lettered = [home, ...menuGroups.flatMap(({ places }) => places)].filter(({ letter }) => letter)

const waitMs = 1500

type Shortcuts = { onPalette: () => void; onHelp: () => void }

export function useShortcuts({ onPalette, onHelp }: Shortcuts): void {
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const { area = '' } = useParams({ strict: false }) as { area?: string }
  const { may } = useStanding()
  const goingSince = useRef(0)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault()
        return onPalette()
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target as HTMLElement)) return
      const isGoing = Date.now() - goingSince.current < waitMs
      goingSince.current = event.key === 'g' && !isGoing ? Date.now() : 0
      const root = `/w/${workspaceId}`
      const place = placeAt(area)
      if (isGoing && workspaceId) {
        const to = lettered.find(({ letter, needs }) => letter === event.key && (!needs || may(needs)))?.to
        if (to !== undefined) void navigate({ to: `${root}${to}` as '/' })
      } else if (event.key === '?') onHelp()
      else if (event.key === 'c' && place && hasOperation(idIn(place.area, 'post')) && may(idIn(place.area, 'post'))) {
        void navigate({ to: `${root}/${place.path}/new` as '/' })
      }
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [onPalette, onHelp, navigate, workspaceId, area, may])
}

function isTyping(place: HTMLElement): boolean {
  return place.closest('input, textarea, select, [contenteditable], [role=dialog]') !== null
}
