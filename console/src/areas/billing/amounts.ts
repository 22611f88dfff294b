// Amounts as people read them, in the digits of their currency.

/** 1250 EUR → "€12.50". */
export function amountOf(minor: number, currency: string): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency })
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2
  return format.format(minor / 10 ** digits)
}

export const dimensionWords: Readonly<Record<string, string>> = {
  seats: 'Seats',
  agent_tokens: 'Tokens of agents',
  agent_runs: 'Runs of agents',
  telemetry_bytes: 'Bytes of telemetry',
  automation_runs: 'Runs of automations',
  storage_bytes: 'Bytes of files',
  members: 'Members with a seat',
  repositories: 'Repositories',
  cloudAccounts: 'Cloud accounts',
  automations: 'Automations',
  agentRunsPerDay: 'Runs of agents in 24 hours',
  telemetryBytesPerMonth: 'Telemetry this month',
  retentionDays: 'Longest retention, in days',
}
