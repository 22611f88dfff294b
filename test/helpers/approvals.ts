// An agent whose call needs an approval, and the people who decide.
import { afterAll } from 'vitest'
import { platform, type TestCaller } from './platform.ts'

type Pending = { approvalId: string; status: string; expiresAt: string }

export function withHeaders(caller: TestCaller, headers: Record<string, string>): TestCaller {
  return { ...caller, headers: { ...caller.headers, ...headers } }
}

/** Closed after the last test of the file. */
export async function approvalDesk() {
  const p = await platform()
  afterAll(() => p.close())
  const team = (caller: TestCaller, approvalId?: string, name = 'Engines') =>
    p.call(
      'teams.post',
      { workspaceId: caller.workspaceId, name },
      approvalId === undefined ? caller : withHeaders(caller, { 'approval-id': approvalId }),
    )
  const decide = (by: TestCaller, approvalId: string, more: object = {}) => {
    const { workspaceId } = by
    return p.call('agent_tools.approvals.decide', { workspaceId, approvalId, decision: 'approve', ...more }, by)
  }
  /** `teams.post` of an agent, which waits for a decision. */
  const asked = async (kind: 'private' | 'automation' = 'private') => {
    const owner = await p.user()
    const agent = await p.run(owner, kind)
    const answer = await team(agent)
    return { owner, agent, workspaceId: owner.workspaceId, answer, wait: answer.result as Pending }
  }
  return { p, team, decide, asked }
}
