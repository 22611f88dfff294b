// A skill's own text: edited on its page, or written anew.
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { InputOf } from '../../../../src/client/catalogue.ts'
import { useAct } from '../../api.ts'
import type { Row } from '../../named.ts'
import { Failure } from '../../parts/failure.tsx'
import { Page } from '../../parts/page.tsx'
import { Markdown } from '../../parts/render.tsx'
import { done } from '../../parts/toast.tsx'
import { Crumbs } from '../../record/record_page.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import { type Place, placeOfArea } from '../define.ts'
import { SkillEditor } from './editor.tsx'
import { type Draft, type Skill, savedFields } from './skill.ts'

export function SkillTextTab({ record }: { record: Row }) {
  // What others change meanwhile does not take away what is being written.
  const [skill, setSkill] = useState(record as Skill)
  const { may } = useStanding()
  const workspaceId = useWorkspaceId()
  const [saves, setSaves] = useState(0)
  const patch = useAct('skills.patch', {
    onDone: saved => {
      setSkill(saved)
      setSaves(saves + 1)
      done('Saved.')
    },
  })
  if (!may('skills.patch')) return <Markdown text={skill.body} />
  return (
    <SkillEditor
      // What was saved is what the next change begins with.
      key={saves}
      skill={skill}
      label="Save"
      isBusy={patch.isPending}
      onSave={draft => patch.mutate({ workspaceId, id: skill.id, ...savedFields(draft) })}
    >
      <Failure error={patch.error} onRetry={patch.again} />
    </SkillEditor>
  )
}

export function NewSkill() {
  const workspaceId = useWorkspaceId()
  const navigate = useNavigate()
  const place = placeOfArea('skills') as Place
  const list = `/w/${workspaceId}/${place.path}`
  const [isDone, setIsDone] = useState(false)
  const post = useAct('skills.post', {
    onDone: ({ id, slug }) => {
      setIsDone(true)
      done(`${slug} is created.`)
      queueMicrotask(() => void navigate({ to: `${list}/${id}` as '/' }))
    },
  })
  const save = (draft: Draft) => post.mutate({ workspaceId, ...savedFields(draft) } as InputOf<'skills.post'>)
  return (
    <Page title="New skill" crumbs={<Crumbs place={place} list={list} title="New skill" />}>
      <SkillEditor skill={null} label="Create" isBusy={post.isPending || isDone} onSave={save}>
        <Failure error={post.error} onRetry={post.again} />
      </SkillEditor>
    </Page>
  )
}
