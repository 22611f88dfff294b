// What a skill says about tools: it can only narrow what a run may call.
import { toolNameOf } from './tools.ts'

/**
 * Whether a run that follows these skills may call the tool: each skill that names tools must name it, as `issues_list`
 * or `issues.list`. Ask it beside permission and policy, never in their place: it opens nothing.
 */
export function areSkillsAllowing(
  skills: readonly { readonly allowedTools: readonly string[] }[],
  toolName: string,
): boolean {
  return skills.every(
    ({ allowedTools }) => allowedTools.length === 0 || allowedTools.some(entry => toolNameOf(entry) === toolName),
  )
}
