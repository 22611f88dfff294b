// Loaded into every thread of a process before anything else: each sync to disk appends one byte to a file.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const { fdatasyncSync } = fs
fs.fdatasyncSync = descriptor => {
  fdatasyncSync(descriptor)
  fs.appendFileSync(process.env.SYNCS_FILE, '.')
}
syncBuiltinESMExports()
