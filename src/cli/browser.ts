// Opens an address in the browser of the person at the terminal.
import { spawn } from 'node:child_process'
import type { Terminal } from './terminal.ts'

/** `BROWSER` names another program than the system's own. */
export function openBrowser(address: string, env: Terminal['env']): void {
  const system = { darwin: 'open', win32: 'explorer' }[process.platform as string] ?? 'xdg-open'
  const child = spawn(env.BROWSER || system, [address], {
    stdio: 'ignore',
    detached: true,
    env: env as NodeJS.ProcessEnv,
  })
  // The address is on the terminal already.
  child.on('error', () => {})
  child.unref()
}
