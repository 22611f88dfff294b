// The automations that come ready, in the order in which they are shown.
import { announcePages } from './gallery/announce_pages.ts'
import { applyAutofixes } from './gallery/apply_autofixes.ts'
import { declareIncident } from './gallery/declare_incident.ts'
import { failedDeploys } from './gallery/failed_deploys.ts'
import { failingIntegrations } from './gallery/failing_integrations.ts'
import { investigateIssues } from './gallery/investigate_issues.ts'
import { nightlyReview } from './gallery/nightly_review.ts'
import { pageOnCall } from './gallery/page_on_call.ts'
import { staleIssues } from './gallery/stale_issues.ts'
import { unusedKeys } from './gallery/unused_keys.ts'
import { weeklyDigest } from './gallery/weekly_digest.ts'
import { welcomeMembers } from './gallery/welcome_members.ts'
import type { Template } from './template.ts'

export const gallery: readonly Template[] = [
  investigateIssues,
  pageOnCall,
  declareIncident,
  failedDeploys,
  staleIssues,
  applyAutofixes,
  nightlyReview,
  weeklyDigest,
  announcePages,
  welcomeMembers,
  unusedKeys,
  failingIntegrations,
]
