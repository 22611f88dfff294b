// Which tier a node has by the rules of its workspace.
import { type Static, Type } from 'typebox'
import { object } from '../../../contract/records.ts'
import { checkedField, type Expression, test } from '../../../kit/cel.ts'
import { category, externalId, name, properties, region, type TierRule, tags, type } from '../fields/contract.ts'

export type Rule = Static<typeof TierRule>

const Judged = object({ name, type, category, provider: Type.String(), region, externalId, tags, properties })

export type Judged = Omit<Static<typeof Judged>, 'category'> & { category: string }

const roots = object({ node: Judged })

export type Checked = readonly { when: Expression; tier: Rule['tier'] }[]

/** 400 with the place of the rule that cannot be read. */
export function checkedRules(rules: readonly Rule[]): Checked {
  return rules.map(({ when, tier }, index) => ({ when: checkedField(`rules.${index}.when`, when, roots), tier }))
}

/** The first rule that holds; one that cannot be judged, such as of a tag that is not there, does not hold. */
export function tierBy(rules: Checked): (node: Judged) => Rule['tier'] {
  return node => rules.find(({ when }) => test(when, { node }).matches)?.tier ?? 'normal'
}
