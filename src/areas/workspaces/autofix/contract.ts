// The settings of autofixes: how many people must approve one before it is applied.
import { type Static, Type } from 'typebox'
import { choice, object } from '../../../contract/records.ts'

const fields = {
  mode: choice(['approval', 'auto'], {
    description: 'auto: one that applies cleanly may be applied without approvals.',
  }),
  requiredApprovals: Type.Integer({
    minimum: 0,
    maximum: 3,
    description: 'People who must approve before it is applied.',
  }),
}

export const AutofixSettings = object(fields)

export type AutofixSettings = Static<typeof AutofixSettings>

export const AutofixSettingsGiven = object({
  mode: Type.Optional(fields.mode),
  requiredApprovals: Type.Optional(fields.requiredApprovals),
})
