// Where a Chromium is; nothing is ever downloaded.
import { existsSync } from 'node:fs'

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

export function chromiumPath(): string | undefined {
  return [process.env.CHROMIUM_PATH, ...places].find(path => path !== undefined && existsSync(path))
}
