// Inputs of nodes: tags, a line for each.
import type { FieldProps } from '../../form/field.ts'
import { Pairs } from '../../parts/pairs.tsx'

export function TagsInput(props: FieldProps) {
  return <Pairs {...props} one="tag" longest={{ name: 256, value: 1_024 }} most={100} />
}
