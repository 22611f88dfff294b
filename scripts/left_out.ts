// A reporter that ends every test run with what it did not cover, so that a green run is not taken for more than it is.
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

type Part = { name: string; isThere: boolean; how: string }

function isInstalled(...commands: string[]): boolean {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.some(folder => commands.some(command => existsSync(join(folder, command))))
}

function parts(): Part[] {
  const { TEST_DATABASE_URL, TEST_REDIS_URL, TEST_CLICKHOUSE_URL } = process.env
  const optional = [
    { name: 'PostgreSQL', isThere: Boolean(TEST_DATABASE_URL), how: 'set TEST_DATABASE_URL' },
    { name: 'Redis', isThere: Boolean(TEST_REDIS_URL), how: 'set TEST_REDIS_URL' },
    { name: 'ClickHouse', isThere: Boolean(TEST_CLICKHOUSE_URL), how: 'set TEST_CLICKHOUSE_URL' },
    {
      name: 'Alertmanager',
      isThere: isInstalled('prometheus') && isInstalled('prometheus-alertmanager'),
      how: 'install prometheus and prometheus-alertmanager',
    },
  ]
  if (!existsSync(join(import.meta.dirname, '../console'))) return optional
  const isThere = isInstalled('chromium', 'chromium-browser', 'google-chrome')
  return [...optional, { name: 'Chromium', isThere, how: 'install chromium' }]
}

export const leftOut = {
  onTestRunEnd(): void {
    const missing = parts().filter(part => !part.isThere)
    const text = missing.map(({ name, how }) => `${name} (${how})`).join(', ')
    process.stdout.write(missing.length > 0 ? `Left out: ${text}\n` : 'Left out: nothing\n')
  },
}
