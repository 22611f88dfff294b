// Webhooks of the hosts of git repositories, each read in its own words.
import type { Json, Received } from '../payloads.ts'
import type { HostEvent } from './events.ts'
import { readGitea } from './gitea.ts'
import { readGithub } from './github.ts'
import { readGitlab } from './gitlab.ts'

export type { HostEvent } from './events.ts'

export const hosts = ['github', 'gitlab', 'gitea'] as const
export type Host = (typeof hosts)[number]

const readers = { github: readGithub, gitlab: readGitlab, gitea: readGitea }

/** It never throws, whatever the payload is. */
export function readHostEvent(host: Host, received: Received, payload: Json, now: Date): HostEvent {
  return readers[host](received, payload, now)
}
