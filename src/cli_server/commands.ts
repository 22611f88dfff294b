// The commands that run the platform on this machine; the server is only loaded by the one that is called.
import { usage } from '../cli/failures.ts'
import type { LocalCommand } from '../cli/tree.ts'

export const serverCommands: LocalCommand[] = [
  {
    name: 'serve',
    summary: 'run the platform on this machine',
    options: [['--port <number>', 'port to listen on (PORT)']],
    // With a port alone, bin/atrium has set it already and started the service itself.
    run: async (_, { port }) => {
      if (port !== undefined) throw usage(`The port ${port} cannot be used so.`, 'Run: atrium serve --port 8080')
      await import('../main.ts')
      // It runs until it is told to stop.
      return await new Promise<number>(() => {})
    },
  },
  {
    name: 'config',
    summary: 'show the configuration that serve would run with',
    run: async (session, options) => (await import('./show_config.ts')).showConfig(session, options),
  },
  {
    name: 'doctor',
    summary: 'check configuration, database, mail, Redis, disk and clock',
    run: async (session, options) => (await import('./doctor.ts')).doctor(session, options),
  },
  {
    name: 'migrate',
    summary: 'bring the database up to this version',
    run: async session => (await import('./migrate_database.ts')).migrateDatabase(session),
  },
  {
    name: 'backup <file>',
    summary: 'write everything to one file, also while the service runs',
    run: async (session, _, file) => (await import('./backup.ts')).backUpTo(session, file),
  },
  {
    name: 'restore <file>',
    summary: 'restore a backup into an empty data directory or database',
    run: async (session, _, file) => (await import('./restore.ts')).restoreFrom(session, file),
  },
  {
    name: 'secrets rotate',
    summary: 'give the instance a new secret key, with the service stopped',
    run: async session => (await import('./rotate_secrets.ts')).rotateSecrets(session),
  },
  {
    name: 'analytics rebuild',
    summary: 'count all figures again from the ledger, with the service stopped',
    run: async session => (await import('./rebuild_analytics.ts')).rebuildAnalytics(session),
  },
]
