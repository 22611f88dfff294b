// Each part with something to show; what a person does to it stands beside it, so that a test can read it.
import { Badge, Button, Stack, Text } from '@mantine/core'
import { Bug, MessageSquare } from 'lucide-react'
import { useState } from 'react'
import { Board } from '../../src/board/board.tsx'
import '../../src/form/rich_input.tsx'
import type { JsonSchema } from '../../src/areas/schema.ts'
import { Composer } from '../../src/composer/composer.tsx'
import { fromDraft, remarkOn } from '../../src/form/field.ts'
import { FieldInput } from '../../src/form/field_input.tsx'
import type { Row } from '../../src/named.ts'
import { ChangedFiles, type DiffFile, type DiffLine, type LinePlace } from '../../src/parts/diff.tsx'
import { Page, Panel } from '../../src/parts/page.tsx'
import { Chart, Diff, Json, Markdown, Terminal } from '../../src/parts/render.tsx'
import { Sparkline } from '../../src/parts/sparkline.tsx'
import { Timeline, type TimelineItem } from '../../src/timeline/timeline.tsx'

const days = [2, 5, 3, 8, 13, 1, 4]
const rows = days.map((open, index) => ({ day: `${index + 1} Nov`, open, closed: days[6 - index] ?? 0 }))

const text = `# A report

It **broke** at \`12:04\`, see [the runbook](https://example.com/runbook) and [@Difference Engine](atrium://ws_1/team/team_1).

- [x] found
- [ ] mended

| Step | Took |
|---|---:|
| Build | 12 s |

\`\`\`ts
const answer: number = 42
\`\`\`

<img src=x onerror="window.broken = true"><script>window.broken = true</script>

[not this](javascript:window.broken=true) ![nor this](https://elsewhere.example.com/pixel.png)
`

export function Stories() {
  return (
    <main>
      <Page title="Parts">
        <BoardStory />
        <TimelineStory />
        <InputStory />
        <Panel title="Markdown">
          <Markdown text={text} />
        </Panel>
        <Panel title="Diff">
          <Diff label="Changed lines" before={'one\ntwo\nthree\n'} after={'one\n2\nthree\n'} />
          <Diff label="A patch" patch={'--- a/x\n+++ b/x\n@@ -4,2 +4,2 @@\n-old\n+new\n same'} />
        </Panel>
        <ChangedFilesStory />
        <Panel title="JSON">
          <Json value={{ name: 'Nightly', tags: ['a', 'b'], deep: { deeper: { deepest: true } } }} />
        </Panel>
        <Panel title="Terminal">
          <Terminal
            text={'$ npm test\n10%\r50%\r100%\n\u001b[32mpassed\u001b[0m \u001b[1;31mfailed\u001b[0m\u001b[2J'}
          />
        </Panel>
        <Panel title="Charts">
          <Stack>
            <Chart kind="line" label="Open per day" rows={rows} by="day" series={[{ name: 'open', label: 'Open' }]} />
            <Chart
              kind="stacked"
              label="Open and closed per day"
              rows={rows}
              by="day"
              series={[
                { name: 'open', label: 'Open' },
                { name: 'closed', label: 'Closed' },
              ]}
            />
            <Sparkline values={days} label="Open in 7 days" />
          </Stack>
        </Panel>
      </Page>
    </main>
  )
}

const written: readonly [string, string, JsonSchema][] = [
  ['cron', 'Schedule', { type: 'string', 'x-format': 'cron' }],
  ['timeout', 'Timeout', { type: 'integer', minimum: 10, maximum: 3600, 'x-format': 'duration' }],
  ['price', 'Price', { type: 'integer', 'x-format': 'money' }],
  ['size', 'Size', { type: 'integer', 'x-format': 'bytes' }],
  ['when', 'Condition', { type: 'string', 'x-format': 'cel' }],
  ['address', 'Address', { type: 'string', format: 'uri' }],
  ['body', 'Body', { type: 'string', 'x-format': 'markdown' }],
]

function InputStory() {
  const [draft, setDraft] = useState<Row>({})
  const fields = written.map(([name, label, schema]) => ({ name, label, schema, isNeeded: false, isNullable: true }))
  const remarks = Object.fromEntries(fields.map(field => [field.name, remarkOn(field, draft[field.name] ?? '', draft)]))
  const isGood = Object.values(remarks).every(remark => remark === null)
  const sent = isGood ? fields.map(field => [field.name, fromDraft(field, draft[field.name] ?? '')]) : []
  return (
    <Panel title="Inputs">
      <Stack>
        {fields.map(field => (
          <FieldInput
            key={field.name}
            field={field}
            value={draft[field.name] ?? ''}
            draft={draft}
            error={remarks[field.name] ?? undefined}
            onChange={value => setDraft(before => ({ ...before, [field.name]: value }))}
          />
        ))}
        <output aria-label="What is sent">{JSON.stringify(Object.fromEntries(sent))}</output>
      </Stack>
    </Panel>
  )
}

type Card = { id: string; title: string; status: string }

function BoardStory() {
  const [cards, setCards] = useState<Card[]>([
    { id: 'one', title: 'Login is slow', status: 'open' },
    { id: 'two', title: 'Typo', status: 'open' },
    { id: 'three', title: 'Crash', status: 'done' },
  ])
  const move = async (card: Card, status: string) => {
    if (card.id === 'two') throw new Error('Typos stay where they are.')
    setCards(before => before.map(one => (one.id === card.id ? { ...one, status } : one)))
  }
  return (
    <Panel title="Board">
      <Board
        label="Issues by status"
        columns={[
          { id: 'open', title: 'Open', color: 'blue' },
          { id: 'doing', title: 'Doing' },
          { id: 'done', title: 'Done', color: 'green' },
        ]}
        cards={cards}
        idOf={({ id }) => id}
        titleOf={({ title }) => title}
        columnOf={({ status }) => status}
        draw={({ title }) => <Text size="sm">{title}</Text>}
        onMove={move}
        mayMove={(card, column) => card.id !== 'three' || column !== 'open'}
      />
    </Panel>
  )
}

function TimelineStory() {
  const [items, setItems] = useState<TimelineItem[]>([
    { id: '1', at: '2026-11-01T10:00:00.000Z', title: 'Ada opened it', icon: Bug, color: 'red' },
  ])
  const add = (title: string, body?: string) =>
    setItems(before => [
      ...before,
      {
        id: String(before.length + 1),
        at: new Date().toISOString(),
        title,
        icon: MessageSquare,
        ...(body && { body: <Markdown text={body} /> }),
      },
    ])
  return (
    <Panel title="Timeline">
      <Timeline label="What happened" items={items}>
        <Button variant="default" onClick={() => add('Something happened')}>
          Let something happen
        </Button>
        <Composer
          label="Comment"
          onSend={async written => {
            if (written === 'fail') throw new Error('Refused')
            add('Ada commented', written)
          }}
          onUpload={async file => `[${file.name}](/v1/files/${file.size})`}
        >
          <Badge>{items.length}</Badge>
        </Composer>
      </Timeline>
    </Panel>
  )
}

const line = (type: DiffLine['type'], text: string, oldLine: number | null, newLine: number | null): DiffLine => ({
  type,
  text,
  oldLine,
  newLine,
})

const oneHunk = { oldStart: 1, oldLines: 3, newStart: 1, newLines: 4, section: 'pool' }
const many = Array.from({ length: 1_200 }, (_, index) => line('added', `row ${index + 1}`, null, index + 1))
const changed: DiffFile[] = [
  {
    path: 'src/pool.ts',
    oldPath: 'src/lake.ts',
    status: 'renamed',
    similarity: 71,
    isBinary: false,
    added: 2,
    removed: 1,
    hunks: [
      {
        ...oneHunk,
        lines: [
          line('context', 'export const name = 1', 1, 1),
          line('removed', 'export const size = 10', 2, null),
          line('added', 'export const size = 20', null, 2),
          line('added', 'export const most = 40', null, 3),
          { ...line('context', '// the end', 3, 4), noNewline: true },
        ],
      },
    ],
  },
  {
    path: 'logo.png',
    oldPath: null,
    status: 'modified',
    isBinary: true,
    added: null,
    removed: null,
    hunks: [],
  },
  { path: 'huge.csv', oldPath: null, status: 'added', isBinary: false, added: 90_000, removed: 0, hunks: null },
  {
    path: 'run.sh',
    oldPath: null,
    status: 'modified',
    oldMode: '100644',
    newMode: '100755',
    isBinary: false,
    added: 0,
    removed: 0,
    hunks: [],
  },
  {
    path: 'rows.txt',
    oldPath: null,
    status: 'added',
    isBinary: false,
    added: 1_200,
    removed: 0,
    hunks: [{ oldStart: 0, oldLines: 0, newStart: 1, newLines: 1_200, section: '', lines: many }],
  },
]

/** What is said of a line stands under it, in either layout. */
function ChangedFilesStory() {
  const [chosen, setChosen] = useState<LinePlace | null>(null)
  const isChosen = ({ path, side, line: at }: LinePlace) =>
    chosen?.path === path && chosen.side === side && chosen.line === at
  return (
    <Panel title="Changed files">
      <ChangedFiles
        files={changed}
        isTruncated
        lineLabel="Say of line"
        onLine={setChosen}
        under={place =>
          isChosen(place) && (
            <Text size="sm">
              About {place.path}, {place.side}, {place.line}
            </Text>
          )
        }
        notice={({ path }) => path === 'run.sh' && <Text size="sm">This does not apply any more.</Text>}
      />
    </Panel>
  )
}
