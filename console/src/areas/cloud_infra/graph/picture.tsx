// The graph as a picture: it begins at a node, grows by its neighbours, and goes back in time.
import { Alert, Grid, Group, NativeSelect, Skeleton, Stack, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Waypoints } from 'lucide-react'
import { useCallback, useMemo, useRef, useState } from 'react'
import { indexedArea } from '../../../contract.ts'
import { countOf } from '../../../format.ts'
import { Failure } from '../../../parts/failure.tsx'
import { Empty } from '../../../parts/page.tsx'
import { useNames } from '../../../table/references.ts'
import { AsText } from './as_text.tsx'
import { Canvas } from './canvas.tsx'
import { Chosen } from './chosen.tsx'
import { layOut, noLayout } from './layout.ts'
import { type Grouping, groupings, type Picturing, usePictureLook } from './look_of.ts'
import { useChanges, useGraph, useHealth } from './reading.ts'
import { FindNode, Start } from './start.tsx'
import { TimeSlider, useSpan } from './time_slider.tsx'
import type { Graph } from './together.ts'
import { colourings, legendOf, type Tone, toneOf } from './tones.ts'

export function Picture() {
  const look = usePictureLook()
  if (look.ids.length === 0) return <Start onFound={look.begin} />
  return <Begun look={look} />
}

/** About as much as there is for the picture; on a phone, and else. */
const narrow = { width: 250, height: 360 }
const wide = { width: 690, height: 540 }
const unknown: Tone = { name: '', tone: 'gray' }

/** Worked out anew when other nodes, edges or groups are to be drawn; until then what was drawn stays. */
function useLayout(graph: Graph, group: Grouping) {
  const frame = useMediaQuery('(max-width: 48em)') ? narrow : wide
  const items = graph.nodes.map(node => ({ id: node.id, group: groupOf(node, group) }))
  const links = graph.edges.map(({ id, fromId, toId }) => ({ id, from: fromId, to: toId }))
  return useQuery({
    queryKey: ['layout', items, links, frame],
    queryFn: () => layOut(items, links, frame),
    placeholderData: before => before,
    staleTime: Number.POSITIVE_INFINITY,
    networkMode: 'always',
    retry: false,
  })
}

function groupOf({ accountId, region, type }: Graph['nodes'][number], group: Grouping): string | null {
  if (group === 'account') return accountId ?? 'none'
  if (group === 'region') return region || 'none'
  return group === 'type' ? type : null
}

/** While others are on their way the last whole picture stays. */
function useWhole(graph: Graph, isPending: boolean): Graph {
  const last = useRef(graph)
  if (!isPending) last.current = graph
  return isPending && last.current.nodes.length > 0 ? last.current : graph
}

function Begun({ look }: { look: Picturing }) {
  const { ids, at, group, colour, span } = look
  const [chosen, setChosen] = useState<string | null>(ids[0] ?? null)
  const read = useGraph(ids, at)
  const graph = useWhole(read.graph, read.isPending)
  const { start, end } = useSpan(span)
  const changes = useChanges(new Date(start).toISOString(), at)
  const health = useHealth([...new Set([...ids, ...graph.nodes.map(({ id }) => id)])], colour === 'health')
  const accounts = [...new Set(graph.nodes.flatMap(({ accountId }) => accountId ?? []))]
  const area = indexedArea('cloud_accounts')
  const names = useNames(area ? [{ area, ids: accounts }] : [])
  const layout = useLayout(graph, group)
  const known = { health, changes: changes.byNode }
  const tones = new Map(graph.nodes.map(node => [node.id, toneOf(node, colour, known)]))
  const stamp = JSON.stringify([...tones])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same words are the same colours
  const toned = useCallback((id: string) => tones.get(id) ?? unknown, [stamp])
  const namesStamp = [...names].join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same names are the same titles
  const titleOf = useCallback((one: string) => titleIn(one, group, names), [group, namesStamp])
  const node = useMemo(() => graph.nodes.find(({ id }) => id === chosen), [graph, chosen])
  return (
    <Stack gap="sm">
      <Controls look={look} />
      <TimeSlider look={look} start={start} end={end} changes={changes.times} />
      <Failure error={read.error ?? layout.error} onRetry={read.error ? read.retry : () => void layout.refetch()} />
      <Notes graph={graph} absent={read.absent.length} at={at} isHealth={colour === 'health'} />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 9 }}>
          {graph.nodes.length === 0 && !read.isPending ? (
            <Empty icon={Waypoints} title="Nothing to draw" text="What you opened is not there at this time." />
          ) : layout.data || layout.error ? (
            <Canvas
              graph={graph}
              layout={layout.data ?? noLayout}
              toneOf={toned}
              titleOf={titleOf}
              opened={ids}
              chosen={chosen}
              onChoose={setChosen}
              onOpen={id => ids.includes(id) || look.open(id)}
            />
          ) : (
            <Skeleton height={420} aria-label="Loading" />
          )}
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 3 }}>
          <Stack gap="md">
            <Legend tones={[...tones.values()]} />
            <Chosen
              node={node}
              look={look}
              account={names.get(node?.accountId ?? '')}
              health={health.byNode.get(chosen ?? '')}
              change={changes.byNode.get(chosen ?? '')}
            />
          </Stack>
        </Grid.Col>
      </Grid>
      <AsText graph={graph} look={look} toneOf={toned} />
    </Stack>
  )
}

function titleIn(group: string, by: Grouping, names: ReadonlyMap<string, string>): string {
  if (group === 'none') return `No ${groupings[by].toLowerCase()}`
  return by === 'account' ? (names.get(group) ?? 'An account') : group
}

function Controls({ look }: { look: Picturing }) {
  const choices = (all: Readonly<Record<string, string>>) =>
    Object.entries(all).map(([value, label]) => ({ value, label }))
  return (
    <Group gap="sm" align="end">
      <FindNode label="Add a node" onFound={id => look.ids.includes(id) || look.open(id)} />
      <NativeSelect
        label="Group by"
        size="xs"
        value={look.group}
        data={choices(groupings)}
        onChange={event => look.put({ group: event.currentTarget.value })}
      />
      <NativeSelect
        label="Colour by"
        size="xs"
        value={look.colour}
        data={choices(colourings)}
        onChange={event => look.put({ colour: event.currentTarget.value })}
      />
    </Group>
  )
}

type NotesProps = { graph: Graph; absent: number; at: string | undefined; isHealth: boolean }

function Notes({ graph: { isTruncated, left, nodes }, absent, at, isHealth }: NotesProps) {
  const notes = [
    ...(left > 0 ? [`${countOf(nodes.length, 'node')} are drawn and ${countOf(left, 'other')} left out.`] : []),
    ...(isTruncated ? ['Some nodes have more neighbours than are drawn. Their pages list them.'] : []),
    ...(absent > 0
      ? [`${countOf(absent, 'node')} that you opened ${absent === 1 ? 'was' : 'were'} not there then.`]
      : []),
    ...(at && isHealth ? ['Health is of the last hour, not of then.'] : []),
  ]
  if (notes.length === 0) return null
  return (
    <Alert color="yellow" role="status">
      {notes.map(note => (
        <Text key={note} size="sm">
          {note}
        </Text>
      ))}
    </Alert>
  )
}

function Legend({ tones }: { tones: readonly Tone[] }) {
  return (
    <Group gap="sm" component="ul" className="atrium-plain-list" aria-label="What the colours mean">
      {legendOf(tones).map(({ name, tone, count }) => (
        <li key={name}>
          <Group gap={6} wrap="nowrap">
            <span className="atrium-tone" data-tone={tone} />
            <Text span size="sm">
              {name} ({count})
            </Text>
          </Group>
        </li>
      ))}
    </Group>
  )
}
