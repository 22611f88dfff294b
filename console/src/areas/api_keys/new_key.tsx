// A new key with its expiry, addresses and owner from the start; then its secret, once.
import { useNavigate } from '@tanstack/react-router'
import { useMemo, useRef, useState } from 'react'
import { call } from '../../api.ts'
import type { FieldHint } from '../../form/field.ts'
import { Form } from '../../form/form.tsx'
import { UnsentGuard } from '../../form/guard.tsx'
import type { Row } from '../../named.ts'
import { Failure } from '../../parts/failure.tsx'
import { Page, Panel, Rows } from '../../parts/page.tsx'
import { Crumbs } from '../../record/record_page.tsx'
import { SecretShown } from '../../record/secret_shown.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import { type Place, placeOfArea } from '../define.ts'
import { fieldsOf } from '../schema.ts'
import { NewOwner } from './owner.tsx'
import { SecretUse } from './secret_use.tsx'

const postId = 'api_keys.post'

export function NewKey() {
  const place = placeOfArea('api_keys') as Place
  const workspaceId = useWorkspaceId()
  const navigate = useNavigate()
  const { role } = useStanding()
  const later = useRef<Row>({})
  const [made, setMade] = useState<Row | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setIsBusy] = useState(false)
  const root = `/w/${workspaceId}/${place.path}`
  /** What the service takes only of a key that is there; a new owner gives it a new secret, the one that is shown. */
  const complete = async (key: Row) => {
    setError(null)
    setIsBusy(true)
    const at = { workspaceId, id: String(key.id) }
    try {
      const { ownerId, ...fields } = later.current
      if (Object.keys(fields).length > 0) await call('api_keys.patch', { ...at, ...fields })
      later.current = ownerId ? { ownerId } : {}
      setMade(ownerId ? await call('api_keys.transfer', { ...at, ownerId: String(ownerId) }) : key)
      later.current = {}
    } catch (failure) {
      setMade(key)
      setError(failure)
    }
    setIsBusy(false)
  }
  const fields = useMemo(() => newFields(place, role === 'owner' || role === 'admin'), [place, role])
  const crumbs = <Crumbs place={place} list={root} title="New API key" />
  if (isBusy) {
    return (
      <Page title="New API key" crumbs={crumbs} narrow>
        <Rows count={3} />
      </Page>
    )
  }
  if (made) {
    const secret = String(made.token)
    return (
      <Page title="Your new key" crumbs={crumbs} narrow>
        {error !== null && <Failure error={error} onRetry={() => void complete(made)} />}
        <Panel>
          <SecretShown
            secrets={[['token', secret]]}
            onDone={() => queueMicrotask(() => void navigate({ to: root as '/' }))}
          >
            <SecretUse secret={secret} />
          </SecretShown>
        </Panel>
      </Page>
    )
  }
  return (
    <Page
      title="New API key"
      about="It holds the scopes you give it, and no more than you hold."
      crumbs={crumbs}
      narrow
    >
      <Form
        guard={UnsentGuard}
        id={postId}
        fixed={{ workspaceId }}
        fields={fields}
        label="Create the key"
        cancel={root}
        toInput={input => {
          const taken = new Set(fieldsOf(postId).map(({ name }) => name))
          later.current = Object.fromEntries(Object.entries(input).filter(([name]) => !taken.has(name)))
          return Object.fromEntries(Object.entries(input).filter(([name]) => taken.has(name)))
        }}
        onDone={key => void complete(key)}
      />
    </Page>
  )
}

function newFields(place: Place, mayTransfer: boolean): FieldHint[] {
  const known = [...fieldsOf(postId), ...fieldsOf('api_keys.patch')]
  const owner: FieldHint = { name: 'ownerId', group: 'Key', input: NewOwner, schema: { type: 'string' } }
  const hints = (place.fields ?? []).map(hint => (typeof hint === 'string' ? { name: hint } : hint))
  const afterName = mayTransfer ? [...hints.slice(0, 1), owner, ...hints.slice(1)] : hints
  return afterName.map((own, index) => {
    const { schema, label, isNullable = false } = known.find(({ name }) => name === own.name) ?? {}
    return {
      ...own,
      label: place.labels?.[own.name] ?? label ?? own.name,
      isNullable,
      ...(schema && { schema }),
      ...(index === 0 && { autoFocus: true }),
    }
  })
}
