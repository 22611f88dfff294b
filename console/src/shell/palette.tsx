// The command palette: every place and the common acts, by a few letters.
import { Modal, ScrollArea, Text, TextInput, UnstyledButton } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { Building2, KeyRound, type LucideIcon, Search, UserPlus } from 'lucide-react'
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react'
import { lastWorkspace, useStanding, useWorkspaceId, useWorkspaces } from '../session.ts'
import { connect, mine, otherAreas, type Place, workspacePlaces } from './places.ts'

type Entry = { title: string; group: string; icon: LucideIcon; words: string; href: string }

export function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const navigate = useNavigate()
  const entries = useEntries()
  const found = useMemo(() => entries.filter(entry => matches(entry, text)).slice(0, 50), [entries, text])
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
        aria-label="Search pages and actions"
        placeholder="Search pages and actions"
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

function useEntries(): Entry[] {
  const here = useWorkspaceId() || lastWorkspace() || ''
  const { can, isKnown } = useStanding()
  const { data } = useWorkspaces()
  return useMemo(() => {
    const root = `/w/${here}`
    const toEntry = (group: string, prefix: string) => (place: Place) => ({
      title: place.title,
      group,
      icon: place.icon,
      words: place.words ?? '',
      href: prefix + place.to,
    })
    const isOpen = ({ scope }: Place) => scope === undefined || !isKnown || can(scope)
    const acts: Entry[] = [
      { title: 'Create an API key', group: 'Action', icon: KeyRound, words: 'new token', href: `${root}/keys/new` },
      {
        title: 'Invite somebody',
        group: 'Action',
        icon: UserPlus,
        words: 'member',
        href: `${root}/members?invite=true`,
      },
    ]
    const inWorkspace = [...workspacePlaces, ...otherAreas].filter(isOpen).map(toEntry('Workspace', root))
    const others = (data?.items ?? []).map(({ id, name }) => ({
      title: name,
      group: 'Switch to',
      icon: Building2,
      words: 'workspace',
      href: `/w/${id}`,
    }))
    const developers = [toEntry('Developers', root)(connect)]
    developers.push({ ...developers[0], title: 'API reference', words: 'docs openapi', href: '/docs' } as Entry)
    return [
      ...(here ? [...inWorkspace, ...acts, ...developers] : []),
      ...mine.map(toEntry('My account', '')),
      ...others,
    ]
  }, [here, can, isKnown, data])
}
