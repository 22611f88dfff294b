// SQS: queues, and where they put what nobody could work on.
import { at } from '../../values.ts'
import { AwsFault } from '../faults.ts'
import { key, keyOfArn } from '../keys.ts'
import { each, type Reader, type Service } from '../reader.ts'
import { flag, needed, number, text, value } from '../shapes.ts'

/** Never `All`: that has the policy in it. */
const attributes = [
  'QueueArn',
  'VisibilityTimeout',
  'MessageRetentionPeriod',
  'DelaySeconds',
  'FifoQueue',
  'RedrivePolicy',
  'SqsManagedSseEnabled',
  'KmsMasterKeyId',
]

export const sqs: Service = {
  types: ['aws.sqs.queue'],
  scope: 'region',
  read: async reader => {
    await reader.part(['aws.sqs.queue'], async () => {
      const urls: string[] = []
      for await (const url of reader.list('sqs:ListQueues')) urls.push(needed(url, ''))
      await each(urls, url => readQueue(reader, url))
    })
  },
}

async function readQueue({ ask, node, edge, region }: Reader, url: string): Promise<void> {
  const answer = await ask('sqs:GetQueueAttributes', { QueueUrl: url, AttributeNames: attributes }).catch(unlessGone)
  if (answer === null) return
  const arn = needed(answer, 'Attributes.QueueArn')
  const own = key('aws.sqs.queue', arn, region)
  const isManaged = flag(answer, 'Attributes.SqsManagedSseEnabled') === true
  node({
    key: own,
    name: arn.replace(/^.*:/, ''),
    category: 'messaging',
    properties: {
      visibilitySeconds: number(answer, 'Attributes.VisibilityTimeout'),
      retentionSeconds: number(answer, 'Attributes.MessageRetentionPeriod'),
      delaySeconds: number(answer, 'Attributes.DelaySeconds'),
      isFifo: flag(answer, 'Attributes.FifoQueue') === true,
      isEncrypted: isManaged || text(answer, 'Attributes.KmsMasterKeyId') !== undefined,
    },
  })
  edge(own, keyOfArn(deadLetters(value(answer, 'Attributes.RedrivePolicy'))), 'writes')
}

function unlessGone(thrown: unknown): null {
  if (thrown instanceof AwsFault && /^(?:QueueDoesNotExist|NonExistentQueue)$/.test(thrown.reason)) return null
  throw thrown
}

function deadLetters(policy: unknown): string | undefined {
  if (typeof policy !== 'string' || policy.length > 5_000) return undefined
  try {
    const target = at(JSON.parse(policy), 'deadLetterTargetArn')
    return typeof target === 'string' ? target : undefined
  } catch {
    return undefined
  }
}
