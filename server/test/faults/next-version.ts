import { join } from 'node:path'
import { bundleInto } from '../../../scripts/bundle-server.ts'
import type { Migration } from '../../src/storage/migrations/migration.ts'
import { newFolder } from '../installation.ts'

/** What a next version could do: change a table, and make something of the rows, which a later write would miss. */
const statements = [
  'alter table users add column nickname text',
  'create table found (records integer not null, users integer not null)',
  'insert into found select (select count(*) from records), (select count(*) from users)',
]

export const next: Migration = { name: '9999-next', statements: () => statements }

/** Bundles this version with the next migration, as the next version will be. Returns its main file. */
export async function bundleNext(): Promise<string> {
  const folder = newFolder()
  const text = `{ name: '${next.name}', statements: () => ${JSON.stringify(statements)} }`
  let isChanged = false
  await bundleInto(folder, [
    {
      name: 'next-version',
      enforce: 'pre',
      transform(code, id) {
        if (!id.endsWith('/storage/migrations/migrate.ts')) return
        const changed = code.replace(/(migrations: readonly Migration\[\] = \[[^\]]*)\]/, `$1, ${text}]`)
        isChanged = changed !== code
        return changed
      },
    },
  ])
  if (!isChanged) throw new Error('The list of the migrations was not found.')
  return join(folder, 'main.js')
}
