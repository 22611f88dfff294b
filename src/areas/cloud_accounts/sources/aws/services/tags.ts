// Tags of those things that their own services list without them.
import type { Service } from '../reader.ts'
import { tagPairs, text } from '../shapes.ts'

const kinds = ['elasticloadbalancing', 'lambda:function', 's3', 'sns', 'sqs']

/** Nothing is absent because tags are: where they cannot be read, no type is unseen. */
export const tags: Service = {
  types: [],
  scope: 'region',
  read: async ({ part, list, tag }) => {
    await part([], async () => {
      for await (const one of list('tag:GetResources', { ResourceTypeFilters: kinds })) {
        const arn = text(one, 'ResourceARN')
        if (arn) tag(arn, tagPairs(one, 'Tags'))
      }
    })
  },
}
