// A workspace into a file and out of one, with how far it is.
import { Alert, Button, Divider, FileButton, Group, List, Progress, Stack, Text, Title } from '@mantine/core'
import { Download, Upload } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { ResultOf } from '../../../src/client/catalogue.ts'
import { addressOf, queryClient, sendZip, useAct, useCall } from '../api.ts'
import { dimensionWords } from '../areas/billing/amounts.ts'
import { countOf } from '../format.ts'
import { Failure } from '../parts/failure.tsx'
import { LinkText } from '../parts/links.tsx'
import { Moment } from '../parts/moment.tsx'
import { Panel } from '../parts/page.tsx'
import { done } from '../parts/toast.tsx'
import { useStanding, type Workspace } from '../session.ts'
import { bytesOf } from '../units.ts'

export function Leaving({ workspace }: { workspace: Workspace }) {
  const { may } = useStanding()
  return (
    <Panel title="Export and import">
      <Stack>
        {may('workspaces.exports.post') && (
          <>
            <Export workspace={workspace} />
            <Divider />
          </>
        )}
        <Import />
      </Stack>
    </Panel>
  )
}

const askMs = 1_000

function Export({ workspace }: { workspace: Workspace }) {
  const workspaceId = workspace.id
  const [wanted, setWanted] = useState('')
  // What was asked for earlier is found again, also by who has left the page.
  const earlier = useCall('workspaces.exports.list', { workspaceId, perPage: 1 })
  const exportId = wanted || (earlier.data?.items[0]?.id ?? '')
  const act = useAct('workspaces.exports.post', { onDone: ({ id }) => setWanted(id) })
  const [isMoving, setIsMoving] = useState(true)
  const asked = useCall(
    'workspaces.exports.get',
    { workspaceId, exportId },
    { enabled: exportId !== '', ...(isMoving && { refetchInterval: askMs }) },
  )
  const one = asked.data
  const isUnderWay = one?.status === 'waiting' || one?.status === 'running'
  useEffect(() => setIsMoving(one === undefined || isUnderWay), [one, isUnderWay])
  return (
    <div>
      <Title order={3} fz="sm">
        Export
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        Everything in one zip: records, files, repositories, rows of datasets and the signed audit log. Secrets stay
        here, and so does what is private to others.
      </Text>
      <Failure error={act.error ?? asked.error} />
      {isUnderWay && one && (
        <Share label={`Packing ${one.part ?? ''}`} share={one.total > 0 ? one.done / one.total : 0} />
      )}
      {one?.status === 'failed' && (
        <Alert color="red" mb="sm">
          {one.error}
        </Alert>
      )}
      <Group>
        {one?.status === 'ready' && (
          <Button
            component="a"
            leftSection={<Download size={16} aria-hidden />}
            href={addressOf('workspaces.exports.file', { workspaceId, exportId })}
            download={`${workspace.slug}.atrium.zip`}
          >
            Download {bytesOf(one.size ?? 0)}
          </Button>
        )}
        <Button variant="default" loading={act.isPending || isUnderWay} onClick={() => act.mutate({ workspaceId })}>
          {one?.status === 'ready' ? 'Export again' : 'Export this workspace'}
        </Button>
      </Group>
      {one?.status === 'ready' && (
        <Text size="sm" c="dimmed" mt="xs" component="div">
          Made <Moment at={one.created} />, kept until <Moment at={one.expiresAt} />.
        </Text>
      )}
    </div>
  )
}

type Report = ResultOf<'workspaces.import'>

/** First it is only looked at: what would happen is shown before anything does. */
function Import() {
  const [file, setFile] = useState<File | null>(null)
  const [share, setShare] = useState<number | null>(null)
  const [report, setReport] = useState<Report | null>(null)
  const [error, setError] = useState<unknown>(null)
  const isSent = share !== null && share >= 1
  const progress = useCall('workspaces.imports.get', {}, { enabled: isSent, ...(isSent && { refetchInterval: askMs }) })

  async function send(chosen: File, dryRun: boolean) {
    setError(null)
    setShare(0)
    try {
      const answer = await sendZip('workspaces.import', { dryRun }, chosen, setShare)
      setReport(answer)
      if (!answer.dryRun) {
        setFile(null)
        done(`${answer.name} is imported.`)
        await queryClient.invalidateQueries()
      }
    } catch (problem) {
      setError(problem)
    }
    setShare(null)
  }

  function choose(chosen: File | null) {
    setFile(chosen)
    setReport(null)
    if (chosen) void send(chosen, true)
  }

  return (
    <div>
      <Title order={3} fz="sm">
        Import
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        An export of this installation or another, up to 1 GiB, becomes a workspace of its own, beside this one.
      </Text>
      <Failure error={error} />
      {share !== null && share < 1 && <Share label="Sending" share={share} />}
      {isSent && <Reading progress={progress.data} />}
      {report && <Told report={report} />}
      <Group>
        <FileButton accept=".zip,application/zip" onChange={choose}>
          {props => (
            <Button
              {...props}
              variant="default"
              leftSection={<Upload size={16} aria-hidden />}
              disabled={share !== null}
            >
              Choose an export
            </Button>
          )}
        </FileButton>
        {file && report?.dryRun && report.beyondPlan.length === 0 && (
          <Button loading={share !== null} onClick={() => void send(file, false)}>
            Import {report.name}
          </Button>
        )}
      </Group>
    </div>
  )
}

function Told({ report }: { report: Report }) {
  const rows = report.tables.reduce((sum, { rows }) => sum + rows, 0)
  const secrets = report.secretsToSet.reduce((sum, { count }) => sum + count, 0)
  return (
    <Alert mb="sm" title={report.dryRun ? `${report.name} would be imported` : `${report.name} is imported`}>
      <List size="sm">
        <List.Item>{countOf(rows, 'record')}</List.Item>
        <List.Item>{`${countOf(report.files.count, 'file')}, ${bytesOf(report.files.bytes)}`}</List.Item>
        <List.Item>
          {`${countOf(report.people.placeholders, 'other person', 'other people')}, who may claim their places`}
        </List.Item>
        <List.Item>
          {`${countOf(secrets, 'record')} with secrets to be set again`}
          {secrets > 0 && ` (${report.secretsToSet.map(({ table }) => table.replaceAll('_', ' ')).join(', ')})`}
        </List.Item>
        <List.Item>Automations are off, and integrations are paused.</List.Item>
        {report.beyondPlan.map(({ dimension, limit, current }) => (
          <List.Item key={dimension} c="red">
            {`More than the plan of a new workspace has: ${dimensionWords[dimension]}, ${current} of ${limit}`}
          </List.Item>
        ))}
        {report.warnings.map(warning => (
          <List.Item key={warning}>{warning}</List.Item>
        ))}
      </List>
      {!report.dryRun && (
        <LinkText to="/w/$workspaceId" params={{ workspaceId: report.id }} size="sm">
          Open {report.name}
        </LinkText>
      )}
    </Alert>
  )
}

const phases = { none: 'Reading', checking: 'Checking', writing: 'Writing' } as const

/** Of the parts that are checked, and then of those that are written. */
function Reading({ progress }: { progress: ResultOf<'workspaces.imports.get'> | undefined }) {
  if (!progress || progress.total === 0) return <Share label="Reading" share={0} />
  const { phase, part, done: before, total } = progress
  const label = `${phases[phase]} ${(part ?? '').replaceAll('_', ' ')}, part ${Math.min(before + 1, total)} of ${total}`
  return <Share label={label} share={before / total} />
}

function Share({ label, share }: { label: string; share: number }) {
  return (
    <Stack gap={4} mb="sm">
      <Text size="sm">{label}</Text>
      <Progress value={share * 100} aria-label={label} />
    </Stack>
  )
}
