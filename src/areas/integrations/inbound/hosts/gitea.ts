// Webhooks of Gitea and Forgejo: those of GitHub, under a header of their own.
import type { Json, Received } from '../payloads.ts'
import type { HostEvent } from './events.ts'
import { readLikeGithub } from './github.ts'

export function readGitea({ headers }: Received, payload: Json, now: Date): HostEvent {
  const event = headers['x-gitea-event'] ?? headers['x-forgejo-event'] ?? headers['x-gogs-event']
  return readLikeGithub('gitea', event ?? headers['x-github-event'], payload, now)
}
