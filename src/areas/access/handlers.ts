// Asks the one permission function and the workspace's tool policy, so that the answer is what a call would get.
import { badRequest } from '../../contract/errors.ts'
import { permit } from '../../contract/permissions.ts'
import { ruledBy } from '../../contract/tool_policy.ts'
import { implement } from '../../kit/implement.ts'
import { operation as lookUp } from '../../operations.ts'
import * as tools from '../agent_tools/store.ts'
import * as workspaces from '../workspaces/store.ts'
import { access } from './contract.ts'

export default implement(access, {
  'access.explain': async ({ db, caller }, { operation: id, workspaceId }) => {
    const operation = lookUp(id)
    if (!operation) throw badRequest('"operation" is not the id of an operation; see /v1/openapi.json.')
    const standing = { ...caller, ...(await inWorkspace(db, caller, workspaceId ?? null)) }
    const permitted = permit(standing, operation)
    const policies = (workspace: string) => tools.policiesOf(db, workspace)
    const ruled = permitted.allowed ? await ruledBy(policies, standing, id, operation, false) : null
    const permission = ruled && !ruled.allowed ? ruled : permitted
    const scopes = typeof operation.access === 'string' ? [] : [...operation.access]
    if (permission.allowed) {
      const { role, reach } = permission
      const detail = ruled?.allowed && ruled.mode === 'approve' ? 'A person is asked to approve each call first.' : null
      return { operation: id, allowed: true, scopes, role, reach, reason: null, missing: [], detail }
    }
    const { reason, missing, detail } = permission
    return { operation: id, allowed: false, scopes, role: standing.role, reach: null, reason, missing, detail }
  },
})

type Asker = Parameters<typeof permit>[0]

/** A key stands in its own workspace; a session where its user is a member. */
async function inWorkspace(db: Parameters<typeof workspaces.find>[0], caller: Asker, workspaceId: string | null) {
  const asked = workspaceId ?? caller.boundTo
  if (asked === null) return {}
  if (caller.boundTo !== null) return { workspaceId: asked, role: asked === caller.boundTo ? caller.role : null }
  const standing = await workspaces.standingOf(db, asked, caller.userId ?? '')
  return { workspaceId: asked, role: null, workspaceStatus: null, ...standing }
}
