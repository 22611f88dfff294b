// The fields that questions, answers and tiles have in common.
import { Type } from 'typebox'
import { choice, timestamp } from '../../../contract/records.ts'

/** Smallest first. */
export const granularities = ['minute', 'hour', 'day', 'week', 'month'] as const
export const units = ['count', 'seconds', 'tokens', 'money', 'bytes', 'ratio', 'score'] as const

/**
 * count: how many. sum: their values together. mean: of their values, with the middle one and the 95th of a hundred.
 * level: how many there are at the end of a bucket. distinct: how many different ones. ratio: of two other metrics.
 */
export const kinds = ['count', 'sum', 'mean', 'level', 'distinct', 'ratio'] as const

export const metricName = Type.String({ minLength: 1, maxLength: 64, examples: ['issues.opened'] })
export const dimensionName = Type.String({ minLength: 1, maxLength: 64, examples: ['severity'] })
const dimensionValue = Type.String({ maxLength: 257, examples: ['high'] })
export const oneOrSeveral = (one: object, maxItems: number) => ({
  anyOf: [one, { type: 'array', items: one, minItems: 1, maxItems }],
})
export const granularity = choice(granularities, { default: 'day', examples: ['day'] })
export const timezone = Type.String({
  maxLength: 64,
  default: 'UTC',
  description: 'Buckets begin by its clocks.',
  examples: ['Europe/Berlin'],
})
export const weekStart = choice(['monday', 'sunday'], { default: 'monday', examples: ['monday'] })

/** What is asked, but for the time. */
export const asked = {
  metrics: Type.Array(metricName, { minItems: 1, maxItems: 10, examples: [['issues.opened', 'issues.resolved']] }),
  granularity: Type.Optional(granularity),
  timezone: Type.Optional(timezone),
  weekStart: Type.Optional(weekStart),
  groupBy: Type.Optional(Type.Array(dimensionName, { maxItems: 2 })),
  filters: Type.Optional(
    Type.Unsafe<Record<string, string | string[]>>({
      type: 'object',
      additionalProperties: oneOrSeveral(dimensionValue, 50),
      propertyNames: { maxLength: 64 },
      maxProperties: 10,
      description: 'By dimension: any of the values, and none of those that begin with `!`; `none` is no value.',
      examples: [{ severity: ['high', 'critical'] }],
    }),
  ),
  compare: Type.Optional(choice(['previous'], { description: 'With the span of the same length before.' })),
}

export const question = {
  ...asked,
  from: timestamp,
  to: { ...timestamp, examples: ['2026-11-16T09:30:00.000Z'] },
  whole: Type.Optional(
    Type.Boolean({ description: 'One bucket from `from` to `to`: means, ratios and people do not add up.' }),
  ),
}
