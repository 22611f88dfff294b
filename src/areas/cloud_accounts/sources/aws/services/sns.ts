// SNS: topics, and the functions and queues that they call.
import { key, keyOfArn } from '../keys.ts'
import type { Service } from '../reader.ts'
import { needed, text } from '../shapes.ts'

export const sns: Service = {
  types: ['aws.sns.topic'],
  scope: 'region',
  read: async ({ part, list, node, edge, region }) => {
    await part(['aws.sns.topic'], async () => {
      for await (const topic of list('sns:ListTopics')) {
        const arn = needed(topic, 'TopicArn')
        const properties = { isFifo: arn.endsWith('.fifo') }
        const name = arn.replace(/^.*:/, '')
        node({ key: key('aws.sns.topic', arn, region), name, category: 'messaging', properties })
      }
    })
    await part(['aws.sns.topic'], async () => {
      for await (const subscription of list('sns:ListSubscriptions')) {
        // Addresses of people and of web hooks are not kept: they may let in whoever knows them.
        const target = keyOfArn(text(subscription, 'Endpoint'))
        edge(keyOfArn(text(subscription, 'TopicArn')), target, 'invokes')
      }
    })
  },
}
