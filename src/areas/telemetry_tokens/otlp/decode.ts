// An OTLP request as rows: the entry.
import type { Signal } from '../../../contract/operation.ts'
import type { Attributes } from '../../datasets/rows/row.ts'
import { jsonSource, protobufSource, type Walk } from './envelope.ts'
import { BadItem, Undecodable } from './faults.ts'
import { type Decoded, type Gathered, gather, nothingGathered } from './gathering.ts'
import { logRecord, logRow, walkLogs } from './logs.ts'
import { gatherMetric, walkMetrics } from './metrics.ts'
import { span, spanRow, walkTraces } from './traces.ts'

export type Encoding = 'json' | 'protobuf'

export { type Decoded, Undecodable }

/** `now` is the time of logs that have none. */
type Options = { resourceDefaults: Attributes; now: bigint }

/** Throws `Undecodable` and nothing else. */
export function decode(signal: Signal, encoding: Encoding, body: Uint8Array, options: Options): Decoded {
  const gathered = nothingGathered()
  try {
    const source = encoding === 'json' ? jsonSource(body) : protobufSource(body)
    const walk = { source, resourceDefaults: options.resourceDefaults }
    walks[signal](walk, gathered, options.now)
  } catch (error) {
    // Not in an item, so what is around the items is not as OTLP has it.
    if (error instanceof BadItem) throw new Undecodable(error.message)
    throw error
  }
  const { rows, rejected, why } = gathered
  return { rows, rejected, why }
}

type WalkSignal = (walk: Omit<Walk, 'item'>, gathered: Gathered, now: bigint) => void

const walks: { [S in Signal]: WalkSignal } = {
  traces: (walk, gathered) =>
    walkTraces({
      ...walk,
      item: (part, around) =>
        gather(gathered, 'span', around, () => spanRow(walk.source.read(span, part, 'span'), around)),
    }),
  logs: (walk, gathered, now) =>
    walkLogs({
      ...walk,
      item: (part, around) =>
        gather(gathered, 'log record', around, () =>
          logRow(walk.source.read(logRecord, part, 'log record'), around, now),
        ),
    }),
  metrics: (walk, gathered) =>
    walkMetrics({ ...walk, item: (part, around) => gatherMetric(gathered, walk.source, part, around) }),
}
