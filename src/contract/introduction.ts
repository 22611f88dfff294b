// The words of the OpenAPI document: what is true of every operation, what a common field means.

export const introduction = `Workspaces for teams and their agents. Every operation below is also a command of the command line (\`atrium api_keys list\`), a call of the typed client and, with few exceptions, an MCP tool.

## Credentials
Send an API key in the header \`x-api-key\`, or a session or OAuth access token as \`Authorization: Bearer\`. An operation needs all of its \`x-required-scopes\`; callers listed in \`x-restricted-callers\` are refused.

## Envelope
Every JSON answer is one object: \`success\`, \`message\`, \`error\` and, on success, \`result\`. Files and streams are sent as they are; their refusals are in the envelope.

## Lists
Lists take \`page\`, \`perPage\` (at most 100), \`orderBy\` and \`order\`, and answer with \`items\` and \`count\`, the number of records after filtering. A filter may be repeated to match any of its values; a value that begins with \`!\` is excluded.

## Errors
\`error.message\` belongs to the status, \`error.detail\` says what to do, and \`error.metadata.issues\` lists every fault of the input. Quote \`X-Request-Id\` when you report a problem.

## Limits
Requests are counted per credential in a sliding minute; \`RateLimit-Limit\`, \`RateLimit-Policy\` and \`RateLimit\` say how many are left. On 429 and 503 wait for \`Retry-After\` seconds and send the request again.

## Approvals
Calls of agents are under the tool policy of the workspace. One that a person must approve first is not carried out: it answers 202 with \`approvalId\`, \`status: pending\` and \`expiresAt\`, and the header \`Approval-Id\`. Once it is approved, the same call with that header goes through, once, for exactly the same arguments; \`Approval-Reason\` tells the person why. Where nobody attends the run it is 403 with \`metadata.reason: approval\`.

## Safe repetition
A POST with an \`Idempotency-Key\` is carried out once in 24 hours, however often it is sent. Where a record has an \`ETag\`, send it as \`If-Match\` to change only what you have seen.`

/** For parameters whose schema says nothing more. */
const parameterTexts: Readonly<Record<string, string>> = {
  workspaceId: 'The workspace.',
  id: 'The record.',
  userId: 'The user.',
  teamId: 'The team.',
  inviteId: 'The invite.',
  grantId: 'The consent.',
  name: 'The name.',
  orderBy: 'The field to sort by.',
  order: 'Whether the list ascends or descends.',
  perPage: 'How many records a page holds.',
  page: 'Which page, counted from 1.',
}

export function parameterText(name: string): string {
  const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
  return parameterTexts[name] ?? `The ${words}.`
}
