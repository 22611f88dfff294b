// Skills in the archive of a workspace: the arguments of each call are held against their schema, so it is held to what a
// call may set.
import type { CarriedRow, Carrier } from '../../kit/carrying.ts'
import { type ParametersSchema, parametersFault } from '../../kit/text_arguments.ts'
import { mostParameterBytes } from './fields/contract.ts'

function schemaFault({ parameters_schema: schema }: CarriedRow): string | null {
  if (schema === null || schema === undefined) return null
  const fault =
    typeof schema === 'object' ? parametersFault(schema as ParametersSchema, mostParameterBytes) : 'a JSON Schema'
  return fault === null ? null : `has a "parameters_schema" that is not ${fault}`
}

export const carrier: Carrier = { rows: { skills: schemaFault, skill_versions: schemaFault } }
