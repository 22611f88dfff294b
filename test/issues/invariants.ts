// What must be true of the issues of a workspace, whatever was done to them.
import { sql } from '../../src/kit/sql.ts'
import type { TestPlatform } from '../helpers/platform.ts'

type Row = {
  id: string
  number: number
  fingerprint: string | null
  isCurrent: boolean
  status: string
  severity: string
  duplicateOfId: string | null
  occurrences: number
}
type Entry = { originId: string; type: string; data: { from?: string; to?: string } }

/** What is wrong, in words; nothing where all is well. `accepted` says how many alerts of each fingerprint were. */
export async function faultsIn(
  p: TestPlatform,
  workspaceId: string,
  accepted: ReadonlyMap<string, number>,
): Promise<string[]> {
  const issues = await p.database.query<Row>(sql`
    select i.id, i.number, i.fingerprint, i.is_current, i.status, i.severity, i.duplicate_of_id, a.occurrences
    from issues i join issue_activity a on a.issue_id = i.id where i.workspace_id = ${workspaceId} order by i.number`)
  const counts = await p.database.query<{ issueId: string; fingerprint: string; count: number }>(sql`
    select o.issue_id, i.fingerprint, sum(o.count)::bigint as count from issue_occurrences o
    join issues i on i.id = o.origin_id where i.workspace_id = ${workspaceId} group by 1, 2`)
  const entries = await p.database.query<Entry>(sql`
    select origin_id, type, data from issue_timeline where workspace_id = ${workspaceId} order by seq`)
  return [
    ...ofFingerprints(issues, accepted),
    ...ofCounts(issues, counts, accepted),
    ...issues.flatMap(issue => ofTimeline(issue, entries)),
  ]
}

const isOpen = ({ status }: Row) => status !== 'resolved' && status !== 'dismissed'

function ofFingerprints(issues: readonly Row[], accepted: ReadonlyMap<string, number>): string[] {
  return [...accepted.keys()].flatMap(fingerprint => {
    const same = issues.filter(issue => issue.fingerprint === fingerprint)
    const current = same.filter(({ isCurrent }) => isCurrent)
    const open = same.filter(issue => isOpen(issue) && issue.duplicateOfId === null)
    const faults: string[] = []
    if (current.length !== 1) faults.push(`${fingerprint} has ${current.length} issues that its alerts go to`)
    if (open.length > 1) faults.push(`${fingerprint} has ${open.length} open issues`)
    if (open.some(({ isCurrent }) => !isCurrent)) faults.push(`${fingerprint} has an open issue that alerts pass by`)
    return faults
  })
}

function ofCounts(
  issues: readonly Row[],
  counts: readonly { issueId: string; fingerprint: string; count: number }[],
  accepted: ReadonlyMap<string, number>,
): string[] {
  const sum = (some: readonly { count: number }[]) => some.reduce((total, { count }) => total + Number(count), 0)
  const wrong = issues.flatMap(({ id, number, occurrences }) => {
    const own = sum(counts.filter(({ issueId }) => issueId === id))
    return own === Number(occurrences) ? [] : [`#${number} says ${occurrences} and has ${own} occurrences`]
  })
  const lost = [...accepted].flatMap(([fingerprint, count]) => {
    const found = sum(counts.filter(one => one.fingerprint === fingerprint))
    return found === count ? [] : [`${fingerprint} was sent ${count} times and counts ${found}`]
  })
  return [...wrong, ...lost]
}

/** The entries of an issue, one after the other, lead to what it is now. */
function ofTimeline({ id, number, status, severity }: Row, entries: readonly Entry[]): string[] {
  const own = entries.filter(({ originId }) => originId === id)
  let at: string | undefined
  const faults: string[] = []
  for (const { type, data } of own) {
    if (type !== 'created' && type !== 'status') continue
    if (type === 'status' && data.from !== at) faults.push(`#${number} was ${at} and an entry says ${data.from}`)
    at = data.to
  }
  if (at !== status) faults.push(`#${number} is ${status} and its timeline says ${at}`)
  const worse = own.filter(({ type }) => type === 'severity').at(-1)?.data.to
  if (worse !== undefined && worse !== severity) faults.push(`#${number} is ${severity}, its timeline says ${worse}`)
  return faults
}
