// The editor of a skill: its front matter as a form and its instructions, or the whole SKILL.md, checked while one writes.
import {
  Button,
  Group,
  JsonInput,
  SegmentedControl,
  SimpleGrid,
  Stack,
  TagsInput,
  Textarea,
  TextInput,
} from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { UnsentGuard } from '../../form/guard.tsx'
import { LabelField } from '../../parts/labels.tsx'
import { Panel } from '../../parts/page.tsx'
import { Markdown } from '../../parts/render.tsx'
import { Findings, useFindings } from './findings.tsx'
import { type Draft, draftOf, markdownOf, parametersOf, type Skill } from './skill.ts'

type EditorProps = {
  skill: Skill | null
  label: string
  isBusy: boolean
  onSave: (draft: Draft) => void
  /** What went wrong, above the button. */
  children?: ReactNode
}

const monospace = { input: { fontFamily: 'var(--mantine-font-family-monospace)' } }

export function SkillEditor({ skill, label, isBusy, onSave, children }: EditorProps) {
  const [draft, setDraft] = useState(() => draftOf(skill))
  const [isTouched, setIsTouched] = useState(false)
  const set = (fields: Partial<Draft>) => {
    setIsTouched(true)
    setDraft(before => ({ ...before, ...fields }))
  }
  const isWhole = draft.markdown !== null
  const findings = useFindings(markdownOf(draft))
  const errors = findings?.errors ?? []
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSave(draft)
  }
  const hasFault = parametersOf(draft) === null
  return (
    <form onSubmit={submit}>
      <UnsentGuard isOn={() => isTouched && !isBusy} />
      <Stack>
        <SegmentedControl
          size="xs"
          aria-label="What is edited"
          style={{ alignSelf: 'flex-start' }}
          value={isWhole ? 'whole' : 'form'}
          onChange={way =>
            set({ markdown: way === 'whole' ? (isTouched || !skill ? markdownOf(draft) : skill.markdown) : null })
          }
          data={[
            { value: 'form', label: 'Form', disabled: isWhole && isTouched },
            { value: 'whole', label: 'SKILL.md' },
          ]}
        />
        {isWhole ? <WholeText draft={draft} set={set} /> : <Fields draft={draft} set={set} errors={errors} />}
        <Beside draft={draft} set={set} hasFault={hasFault} />
        {findings && <Findings {...findings} withLines={isWhole} />}
        {children}
        <Group justify="flex-end">
          <Button type="submit" loading={isBusy} disabled={errors.length > 0 || hasFault}>
            {label}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

type PartProps = { draft: Draft; set: (fields: Partial<Draft>) => void }

function WholeText({ draft, set }: PartProps) {
  return (
    <Panel title="SKILL.md" about="Kept byte for byte as it stands here.">
      <Textarea
        aria-label="SKILL.md"
        autosize
        minRows={16}
        maxRows={40}
        styles={monospace}
        spellCheck={false}
        value={draft.markdown ?? ''}
        onChange={event => set({ markdown: event.currentTarget.value })}
      />
    </Panel>
  )
}

type FieldsProps = PartProps & { errors: readonly { field: string | null; message: string }[] }

function Fields({ draft, set, errors }: FieldsProps) {
  // What was not written yet is not wrong yet.
  const errorOf = (field: string, text: string) => text !== '' && errors.find(one => one.field === field)?.message
  return (
    <>
      <Panel title="Front matter" about="All that an agent knows of the skill before it reads it.">
        <Stack>
          <TextInput
            label="Name"
            withAsterisk
            description="Lower case letters, digits and single hyphens"
            value={draft.slug}
            error={errorOf('name', draft.slug)}
            onChange={event => set({ slug: event.currentTarget.value })}
          />
          <Textarea
            label="Description"
            withAsterisk
            description="What it does and when to use it"
            autosize
            minRows={2}
            value={draft.description}
            error={errorOf('description', draft.description)}
            onChange={event => set({ description: event.currentTarget.value })}
          />
          <TagsInput
            label="Allowed tools"
            description="A run that follows the skill calls these only; none: whatever it may call anyway"
            value={draft.allowedTools}
            onChange={allowedTools => set({ allowedTools })}
            acceptValueOnBlur
          />
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput
              label="License"
              value={draft.license}
              onChange={event => set({ license: event.currentTarget.value })}
            />
            <TextInput
              label="Compatibility"
              value={draft.compatibility}
              onChange={event => set({ compatibility: event.currentTarget.value })}
            />
          </SimpleGrid>
          <Textarea
            label="Metadata"
            description='One "name: text" a line'
            autosize
            minRows={1}
            styles={monospace}
            value={draft.metadata}
            onChange={event => set({ metadata: event.currentTarget.value })}
          />
        </Stack>
      </Panel>
      <Panel title="Instructions">
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          <Textarea
            label="Markdown"
            autosize
            minRows={12}
            maxRows={40}
            styles={monospace}
            value={draft.body}
            onChange={event => set({ body: event.currentTarget.value })}
          />
          <section aria-label="Preview">
            <Markdown text={draft.body.trim() === '' ? '*The instructions show here.*' : draft.body} />
          </section>
        </SimpleGrid>
      </Panel>
    </>
  )
}

/** What is no part of the format, and of no file. */
function Beside({ draft, set, hasFault }: PartProps & { hasFault: boolean }) {
  return (
    <Panel title="In this workspace">
      <Stack>
        <JsonInput
          label="Parameters"
          description="JSON Schema of an object; its properties are the arguments of the prompt, put in where the text says {{name}}"
          autosize
          minRows={2}
          styles={monospace}
          value={draft.parameters}
          error={hasFault && 'This is no JSON object.'}
          onChange={parameters => set({ parameters })}
        />
        <LabelField label="Labels" value={draft.labels} onChange={labels => set({ labels })} />
      </Stack>
    </Panel>
  )
}
