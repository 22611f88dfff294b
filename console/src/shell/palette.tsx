// The command palette: every place, act and record that the person may open, by a few letters.
import { Modal, ScrollArea, Text, TextInput, UnstyledButton } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { BookOpen, Building2, type LucideIcon, Plus, Search, UserPlus } from 'lucide-react'
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react'
import { placeOfArea, places } from '../areas/define.ts'
import { areaOfObject, hasOperation, idIn } from '../contract.ts'
import { useNamedCall } from '../named.ts'
import { lastWorkspace, useStanding, useWorkspaceId, useWorkspaces } from '../session.ts'
import { home, type MenuPlace, menuGroups, mine } from './places.ts'

type Entry = { title: string; group: string; icon: LucideIcon; words: string; href: string }

export function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const navigate = useNavigate()
  const entries = useEntries()
  const records = useFound(text)
  const found = [...entries.filter(entry => matches(entry, text)).slice(0, 50), ...records]
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.querySelector(`[data-index="${chosen}"]`)?.scrollIntoView({ block: 'nearest' })
  }, [chosen])

  const open = (entry: Entry | undefined) => {
    if (!entry) return
    onClose()
    if (entry.href === '/docs') window.location.assign(entry.href)
    else void navigate({ href: entry.href })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && found.length > 0) {
      event.preventDefault()
      setChosen(before => (before + step + found.length) % found.length)
    }
    if (event.key === 'Enter') {
      event.preventDefault()
      open(found[chosen])
    }
  }
  return (
    <Modal opened onClose={onClose} title="Go to" size="lg" yOffset="10dvh" centered={false} padding="sm">
      <TextInput
        data-autofocus
        aria-label="Search pages, records and actions"
        placeholder="Search pages, records and actions"
        leftSection={<Search size={16} aria-hidden />}
        value={text}
        role="combobox"
        aria-expanded
        aria-controls="palette-list"
        aria-activedescendant={found[chosen] ? `palette-${chosen}` : undefined}
        onChange={event => {
          setText(event.currentTarget.value)
          setChosen(0)
        }}
        onKeyDown={onKeyDown}
      />
      <ScrollArea.Autosize mah="50dvh" mt="xs" viewportRef={list} viewportProps={{ tabIndex: 0 }}>
        <div id="palette-list" role="listbox" aria-label="Pages and actions">
          {found.map((entry, index) => (
            <Row key={entry.href + entry.title} entry={entry} index={index} isChosen={index === chosen} onOpen={open} />
          ))}
        </div>
        {found.length === 0 && (
          <Text c="dimmed" size="sm" p="sm" role="status">
            Nothing has that name. Try “keys” or “members”.
          </Text>
        )}
      </ScrollArea.Autosize>
    </Modal>
  )
}

type RowProps = { entry: Entry; index: number; isChosen: boolean; onOpen: (entry: Entry) => void }

function Row({ entry, index, isChosen, onOpen }: RowProps) {
  const Icon = entry.icon
  return (
    <UnstyledButton
      id={`palette-${index}`}
      data-index={index}
      role="option"
      aria-selected={isChosen}
      tabIndex={-1}
      onClick={() => onOpen(entry)}
      display="flex"
      w="100%"
      p="xs"
      style={{
        gap: 10,
        alignItems: 'center',
        borderRadius: 'var(--mantine-radius-sm)',
        background: isChosen ? 'var(--mantine-color-iris-light)' : undefined,
      }}
    >
      <Icon size={17} aria-hidden />
      <Text size="sm" flex={1}>
        {entry.title}
      </Text>
      <Text size="xs" c="dimmed">
        {entry.group}
      </Text>
    </UnstyledButton>
  )
}

function matches({ title, group, words }: Entry, text: string): boolean {
  const whole = `${title} ${group} ${words}`.toLowerCase()
  return text
    .toLowerCase()
    .split(/\s+/)
    .every(word => whole.includes(word))
}

/** Only what the person may do. */
function useEntries(): Entry[] {
  const here = useWorkspaceId()
  const back = lastWorkspace() ?? ''
  const { may } = useStanding()
  const { data } = useWorkspaces()
  return useMemo(() => {
    const root = `/w/${here}`
    const toEntry = (group: string, prefix: string) => (place: MenuPlace) => ({
      title: place.title,
      group,
      icon: place.icon,
      words: place.words ?? '',
      href: prefix + place.to,
    })
    const isOpen = ({ needs }: MenuPlace) => needs === undefined || may(needs)
    const acts: Entry[] = places
      .filter(({ area, isHidden }) => !isHidden && may(idIn(area, 'post')))
      .map(({ one, icon, path, words = '' }) => ({
        title: `New ${one}`,
        group: 'Action',
        icon: icon ?? Plus,
        words: `create add ${words}`,
        href: `${root}/${path}/new`,
      }))
    if (may('workspace_members.invites.post')) {
      const href = `${root}/members?invite=true`
      acts.push({ title: 'Invite somebody', group: 'Action', icon: UserPlus, words: 'member', href })
    }
    const others = (data?.items ?? []).map(({ id, name }) => ({
      title: name,
      group: 'Switch to',
      icon: Building2,
      words: 'workspace',
      href: `/w/${id}`,
    }))
    const inWorkspace = menuGroups.flatMap(({ title, places: own }) => own.filter(isOpen).map(toEntry(title, root)))
    const reference = {
      title: 'API reference',
      group: 'Workspace',
      icon: BookOpen,
      words: 'docs openapi',
      href: '/docs',
    }
    const start = {
      title: 'Back to the workspace',
      group: 'Workspace',
      icon: Building2,
      words: 'home',
      href: `/w/${back}`,
    }
    return [
      ...(here ? [toEntry('Workspace', root)(home), ...inWorkspace, ...acts] : back ? [start] : []),
      reference,
      ...mine.map(toEntry('My account', '')),
      ...others,
    ]
  }, [here, back, may, data])
}

const typingMs = 200
const mostFound = 8

type Found = { object: string; id: string; title?: string }

/** Records by their words, where the service can search. */
function useFound(text: string): Entry[] {
  const workspaceId = useWorkspaceId()
  const [wanted] = useDebouncedValue(text.trim(), typingMs)
  const enabled = workspaceId !== '' && wanted.length > 1 && hasOperation('search.query')
  const found = useNamedCall<{ items: Found[] }>(
    'search.query',
    { workspaceId, q: wanted, limit: mostFound },
    { enabled, keep: true },
  )
  if (!enabled) return []
  return (found.data?.items ?? []).flatMap(({ object, id, title }) => {
    const place = placeOfArea(areaOfObject(object)?.name ?? '')
    if (!place) return []
    const href = `/w/${workspaceId}/${place.path}/${id}`
    return [{ title: title ?? id, group: place.one, icon: place.icon, words: '', href }]
  })
}
