// What can be done with one record: a button or menu entry per operation, each with the dialog that its contract gives.
import { Button, Menu, Modal, Stack, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { ChevronDown, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { type ActHint, type Place, type Preset, titleOf, type Views } from '../areas/define.ts'
import { aboutOf, actsOf, keyOf, secretsIn } from '../areas/schema.ts'
import { brief, idIn, operation } from '../contract.ts'
import { Form } from '../form/form.tsx'
import { wordsOf } from '../format.ts'
import { type Row, useNamedAct } from '../named.ts'
import { Failure } from '../parts/failure.tsx'
import { done } from '../parts/toast.tsx'
import { useMe, useStanding, useWorkspaceId } from '../session.ts'
import { SecretShown } from './secret_shown.tsx'

export type Offered = { verb: string; label: string; hint: ActHint; isEnding: boolean }

const labels: Readonly<Record<string, string>> = { del: 'Delete' }

/** The acts that this person may do with this record. */
export function useActs(place: Place, views: Views): (record: Row) => Offered[] {
  const { may, role } = useStanding()
  const me = useMe()
  return record =>
    actsOf(place.area)
      .filter(verb => may(idIn(place.area, verb)) || isAboutMe(idIn(place.area, verb), record, me?.id))
      .map(verb => {
        const hint = views.acts?.[verb] ?? {}
        const isEnding = brief(idIn(place.area, verb))?.route.startsWith('DELETE') ?? false
        return { verb, hint, isEnding, label: hint.label ?? labels[verb] ?? wordsOf(verb) }
      })
      .filter(({ hint }) => !hint.isHidden)
      .filter(({ hint }) => hint.isOffered?.(record, { id: me?.id ?? '', role }) ?? true)
      .sort((one, other) => Number(one.isEnding) - Number(other.isEnding))
}

/** A person may do some things to themselves that they may not do to others. */
function isAboutMe(id: string, record: Row, me: string | undefined): boolean {
  const { self } = brief(id) ?? {}
  return self !== undefined && record[self] === me
}

function usePresets(place: Place, views: Views): (record: Row) => readonly Preset[] {
  const { may, role } = useStanding()
  const me = useMe()
  return record =>
    may(idIn(place.area, 'patch'))
      ? (views.presets ?? []).filter(({ isOffered }) => isOffered(record, { id: me?.id ?? '', role }))
      : []
}

type ActsProps = {
  place: Place
  views: Views
  record: Row
  onGone: () => void
  /** All in the menu: `children` are what matters most. */
  isFolded?: boolean
  children?: ReactNode
}

const mostButtons = 3

/** At the head of a record's page. */
export function Acts({ place, views, record, onGone, isFolded = false, children }: ActsProps) {
  const offered = useActs(place, views)(record)
  const presets = usePresets(place, views)(record)
  const [open, setOpen] = useState<Offered | null>(null)
  const preset = usePreset(place, record)
  const few = offered.length <= mostButtons ? offered : offered.filter((act, index) => index < 2 || act.isEnding)
  const buttons = isFolded ? [] : few
  const others = offered.filter(act => !buttons.includes(act))
  return (
    <>
      {children}
      {buttons.map(act => {
        const Icon = act.hint.icon ?? (act.isEnding ? Trash2 : null)
        return (
          <Button
            key={act.verb}
            variant="default"
            {...(Icon && { leftSection: <Icon size={16} aria-hidden /> })}
            onClick={() => setOpen(act)}
          >
            {act.label}
          </Button>
        )
      })}
      {others.length + presets.length > 0 && (
        <Menu position="bottom-end">
          <Menu.Target>
            <Button variant="default" rightSection={<ChevronDown size={14} aria-hidden />}>
              More
            </Button>
          </Menu.Target>
          <Menu.Dropdown aria-label="More acts">
            {presets.map(one => (
              <Menu.Item key={one.label} onClick={() => preset.run(one)}>
                {one.label}
              </Menu.Item>
            ))}
            {others.map(act => (
              <Menu.Item key={act.verb} onClick={() => setOpen(act)}>
                {act.label}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      <Failure error={preset.error} onRetry={preset.again} />
      {open && (
        <ActDialog
          place={place}
          views={views}
          act={open}
          record={record}
          onClose={() => setOpen(null)}
          onGone={onGone}
        />
      )}
    </>
  )
}

function usePreset(place: Place, record: Row) {
  const workspaceId = useWorkspaceId()
  const [last, setLast] = useState('')
  const act = useNamedAct(idIn(place.area, 'patch'), { onDone: () => done(last) })
  const key = keyOf(place.area)
  return {
    error: act.error,
    again: act.again,
    run: (preset: Preset) => {
      setLast(preset.done)
      act.send({ workspaceId, [key]: record[key], ...preset.input })
    },
  }
}

/** Entries of the menu in a row. */
export function useRowMenu(place: Place, views: Views, onGone: () => void) {
  const acts = useActs(place, views)
  const presets = usePresets(place, views)
  const [open, setOpen] = useState<{ act: Offered; record: Row } | null>(null)
  const [changing, setChanging] = useState<Row>({})
  const preset = usePreset(place, changing)
  const menu = (record: Row): ReactNode => {
    const offered = acts(record)
    const ready = presets(record)
    if (offered.length + ready.length === 0) return null
    return (
      <>
        {ready.map(one => (
          <Menu.Item
            key={one.label}
            onClick={() => {
              setChanging(record)
              queueMicrotask(() => preset.run(one))
            }}
          >
            {one.label}
          </Menu.Item>
        ))}
        {offered.map(act => {
          const Icon = act.hint.icon ?? (act.isEnding ? Trash2 : null)
          return (
            <Menu.Item
              key={act.verb}
              {...(Icon && { leftSection: <Icon size={16} aria-hidden /> })}
              onClick={() => setOpen({ act, record })}
            >
              {act.label}
            </Menu.Item>
          )
        })}
      </>
    )
  }
  const dialog = open && (
    <ActDialog place={place} views={views} {...open} onClose={() => setOpen(null)} onGone={onGone} />
  )
  return { menu, dialog, failure: <Failure error={preset.error} onRetry={preset.again} /> }
}

type ActDialogProps = {
  place: Place
  views: Views
  act: Offered
  record: Row
  onClose: () => void
  onGone: () => void
}

function ActDialog({ place, views, act, record, onClose, onGone }: ActDialogProps) {
  const { verb, hint, label, isEnding } = act
  const workspaceId = useWorkspaceId()
  const navigate = useNavigate()
  const [made, setMade] = useState<Row | null>(null)
  const id = idIn(place.area, verb)
  const key = keyOf(place.area)
  const title = titleOf(place.area, record)
  const secrets = made ? secretsIn(id, made) : []
  if (hint.dialog) return <hint.dialog record={record} onClose={onClose} />
  const finish = (result: Row) => {
    if (secretsIn(id, result).length > 0) return setMade(result)
    onClose()
    done(hint.done ?? (isEnding ? `${title} is deleted.` : `${label}: done.`))
    if (isEnding || hint.isGone) onGone()
    else if (hint.leadsTo) void navigate({ to: `/w/${workspaceId}/${hint.leadsTo(result)}` as '/' })
  }
  const Use = views.secretUse
  return (
    <Modal
      opened
      onClose={onClose}
      title={made ? 'The new secret' : `${label} ${title}${isEnding ? '?' : ''}`}
      size={made ? 'lg' : 'md'}
      closeOnClickOutside={!made}
      closeOnEscape={!made}
      withCloseButton={!made}
    >
      {made ? (
        <SecretShown secrets={secrets} onDone={onClose}>
          {Use && <Use secret={secrets[0]?.[1] ?? ''} record={made} />}
        </SecretShown>
      ) : (
        <Stack>
          <Text size="sm" component="div">
            {hint.about ?? aboutOf(id) ?? (isEnding ? 'This cannot be taken back.' : operation(id)?.summary)}
          </Text>
          <Form
            id={id}
            fixed={{ workspaceId, [key]: record[key] }}
            fields={hint.fields}
            label={label}
            cancel={onClose}
            {...(isEnding && { color: 'red' })}
            touches={hint.touches}
            onDone={finish}
          />
        </Stack>
      )}
    </Modal>
  )
}
