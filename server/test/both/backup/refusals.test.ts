import { copyFileSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createUser } from '../../../src/accounts/users.ts'
import { createWorkspace } from '../../../src/accounts/workspaces.ts'
import { restoreBackup } from '../../../src/backup/restore-backup.ts'
import { sql } from '../../../src/storage/engines/sql.ts'
import { loadApplied, migrate, migrations } from '../../../src/storage/migrations/migrate.ts'
import type { Migration } from '../../../src/storage/migrations/migration.ts'
import { insertUser } from '../../../src/storage/tables/accounts.ts'
import { testDatabase } from '../../engine.ts'
import { type Installation, installation, newFolder } from '../../installation.ts'
import { runtimeAt } from '../../workspace.ts'

async function filled(): Promise<{ origin: Installation; file: string; folder: string }> {
  const origin = await installation()
  const runtime = runtimeAt(origin.database.url, origin.env.SECRET ?? '')
  await migrate(runtime.engine, new Date())
  await createUser(runtime, { email: 'ada@example.com', name: 'Someone' })
  await createWorkspace(runtime, { name: 'Acme', slug: 'acme', owner: 'ada@example.com' })
  await runtime.engine.close()
  const folder = newFolder()
  const file = join(folder, 'whole.kith')
  expect(await origin.kith('backup', file)).toMatchObject({ code: 0, stderr: '' })
  return { origin, file, folder }
}

async function slugsIn(one: Installation): Promise<string[]> {
  const { code, stdout } = await one.kith('workspace', 'list', '--json')
  expect(code).toBe(0)
  return JSON.parse(stdout).map((workspace: { slug: string }) => workspace.slug)
}

describe('8. kith restore restores all or nothing', () => {
  it('refuses what is damaged, cut short, changed or no backup, and leaves an empty database empty', async () => {
    const { file, folder } = await filled()
    const bad = (name: string) => join(folder, name)
    copyFileSync(file, bad('cut'))
    truncateSync(bad('cut'), statSync(file).size - 20)
    const flipped = readFileSync(file)
    flipped.writeUInt8(flipped.readUInt8(flipped.length >> 1) ^ 0xff, flipped.length >> 1)
    writeFileSync(bad('flipped'), flipped)
    const lines = gunzipSync(readFileSync(file)).toString()
    writeFileSync(bad('changed'), gzipSync(lines.replace('ada@example.com', 'eve@example.com')))
    writeFileSync(bad('without-end'), gzipSync(`${lines.split('\n').slice(0, -2).join('\n')}\n`))
    writeFileSync(bad('text'), 'Dear diary')
    writeFileSync(bad('empty'), '')
    writeFileSync(bad('other'), gzipSync('{"hello": 1}\n'))
    writeFileSync(bad('format'), gzipSync(lines.replace('"kith_backup":1', '"kith_backup":2')))
    writeFileSync(bad('newer'), gzipSync(lines.replace('"migrations":[', '"migrations":["9999-later",')))
    writeFileSync(bad('older'), gzipSync(lines.replace(/"migrations":\[.*?\]/, '"migrations":["0001-foundation"]')))
    const fresh = await installation(undefined, undefined, testDatabase)
    const reasons: Record<string, RegExp> = {
      cut: /is damaged or incomplete\. Nothing was restored\.$/,
      flipped: /is damaged or incomplete\. Nothing was restored\.$/,
      changed: /is damaged or incomplete\. Nothing was restored\.$/,
      'without-end': /is damaged or incomplete\. Nothing was restored\.$/,
      text: /is not a backup of Kith\.$/,
      empty: /is (not a backup of Kith|damaged or incomplete\. Nothing was restored)\.$/,
      other: /is not a backup of Kith\.$/,
      format: /is a backup in another format \(2\)\. Restore it with the version that made it\.$/,
      newer: /was made by a newer version \(9999-later\)\. Restore it with that version\.$/,
      older: /was made by a version before 1\.0\.0 \(0001-foundation\)\. Restore it with that version\.$/,
      missing: /cannot be read: no such file or directory\. Check the path and its permissions\.$/,
    }
    const runtime = runtimeAt(fresh.database.url, fresh.env.SECRET ?? '')
    for (const [name, reason] of Object.entries(reasons)) {
      await expect(restoreBackup(runtime, bad(name), { replace: false }), name).rejects.toThrow(reason)
    }
    expect(await runtime.engine.loadTables(runtime.engine.db)).toEqual([])
    await runtime.engine.close()
    const told = await fresh.kith('restore', bad('cut'))
    expect(told).toEqual({
      code: 1,
      stdout: '',
      stderr: `${bad('cut')} is damaged or incomplete. Nothing was restored.\n`,
    })
    expect(await fresh.kith('restore', file)).toMatchObject({ code: 0, stderr: '' })
    expect(await slugsIn(fresh)).toEqual(['acme'])
  })

  it('refuses a database that is not empty, except with --replace; a failed replacement loses nothing', async () => {
    const { file, folder } = await filled()
    const other = await installation()
    await other.kith('migrate')
    await other.kith('user', 'create', '--email', 'eve@example.com', '--name', 'Eve')
    await other.kith('workspace', 'create', '--name', 'Old', '--slug', 'old', '--owner', 'eve@example.com')
    await other.kith('sample', '--workspace', 'old', '--companies', '5')
    const refused = await other.kith('restore', file)
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toBe(
      'The database is not empty. Restore into an empty one, or add --replace to delete everything in it.\n',
    )
    const cut = join(folder, 'cut')
    copyFileSync(file, cut)
    truncateSync(cut, statSync(file).size - 9)
    expect(await other.kith('restore', cut, '--replace')).toMatchObject({ code: 1 })
    expect(await slugsIn(other)).toEqual(['old'])
    expect(await other.kith('restore', file, '--replace')).toMatchObject({ code: 0, stderr: '' })
    expect(await slugsIn(other)).toEqual(['acme'])
    // Nothing is left of what was there, in the indexes either: a copy is the same as one of the origin.
    const again = join(folder, 'again')
    await other.kith('backup', again)
    const body = (path: string) => gunzipSync(readFileSync(path)).toString().split('\n').slice(1, -2)
    expect(body(again)).toEqual(body(file))
  })

  it('refuses a database that a service has open', async () => {
    const { origin, file } = await filled()
    const service = await origin.start()
    const ran = await origin.kith('restore', file, '--replace')
    expect(ran).toEqual({ code: 1, stdout: '', stderr: 'The database is in use. Stop the service, then restore.\n' })
    await service.stop()
    expect(await origin.kith('restore', file, '--replace')).toMatchObject({ code: 0 })
  })

  it('leads back from a newer version: its database is left alone, and a new one gets the backup', async () => {
    const { origin, file, folder } = await filled()
    const runtime = runtimeAt(origin.database.url, '')
    const newer = { name: '9999-later', applied_at: new Date().toISOString() }
    await sql`insert into migrations ${sql.values(newer)}`.run(runtime.engine.single)
    await runtime.engine.close()
    const refusalOf = async (...args: string[]) => {
      const { code, stdout, stderr } = await origin.kith(...args)
      expect(code).toBe(1)
      return stdout + stderr
    }
    const way = 'Start that version again, or restore the backup from before the upgrade into a new database'
    expect(await refusalOf('workspace', 'list')).toContain(way)
    expect(await refusalOf('backup', join(folder, 'late.kith'))).toContain(way)
    expect(await refusalOf('doctor')).toContain(way)
    expect(await refusalOf('restore', file, '--replace')).toMatch(
      /^The database is ahead of the backup \(it has 9999-later\)\. Restore into a new database/,
    )
    const older = await installation(undefined, origin.env.SECRET, testDatabase)
    expect(await older.kith('restore', file)).toMatchObject({ code: 0, stderr: '' })
    expect(await slugsIn(older)).toEqual(['acme'])
  })

  it('brings a backup of an older version to this one', async () => {
    const later: Migration = {
      name: '9999-later',
      statements: () => [`alter table users add column nickname text default 'none'`],
    }
    const old = await installation()
    expect(await old.kith('migrate')).toMatchObject({ code: 0 })
    const runtime = runtimeAt(old.database.url, '')
    const ada = { id: 'ada', name: 'Ada', email: 'ada@example.com', verified: true }
    await runtime.engine.transaction((inside) => insertUser(inside, ada, new Date().toISOString()))
    await runtime.engine.close()
    const file = join(newFolder(), 'old.kith')
    expect(await old.kith('backup', file)).toMatchObject({ code: 0, stderr: '' })
    const fresh = await installation()
    const restored = runtimeAt(fresh.database.url, '')
    await restoreBackup(restored, file, { replace: false, migrations: [...migrations, later] })
    const { db } = restored.engine
    expect([...(await loadApplied(db))].sort()).toEqual([...migrations, later].map(({ name }) => name))
    expect(await sql`select email, nickname from users`.all(db)).toEqual([
      { email: 'ada@example.com', nickname: 'none' },
    ])
    await restored.engine.close()
  })
})

describe('8. kith backup', () => {
  it('writes a file for its owner alone, overwrites only a backup and only with --force, and leaves no half file', async () => {
    const { origin, file, folder } = await filled()
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const bytes = readFileSync(file)
    const exists = `${file} exists. Choose another name, or add --force to overwrite it.\n`
    expect(await origin.kith('backup', file)).toEqual({ code: 1, stdout: '', stderr: exists })
    expect(readFileSync(file).equals(bytes)).toBe(true)
    expect(await origin.kith('backup', file, '--force')).toMatchObject({ code: 0 })
    expect(readFileSync(file).equals(bytes)).toBe(false)
    writeFileSync(join(folder, 'letter'), 'Dear Ada')
    for (const more of [[], ['--force']]) {
      const refused = await origin.kith('backup', join(folder, 'letter'), ...more)
      expect(refused.code).toBe(1)
      expect(refused.stderr).toContain('exists and is not a backup. Choose another name.')
      expect(readFileSync(join(folder, 'letter'), 'utf8')).toBe('Dear Ada')
    }
    const unwritten = async (path: string) => (await origin.kith('backup', path)).stderr.replaceAll(folder, '')
    const hint = 'Check its folder and the space on the disk.\n'
    expect(await unwritten(join(folder, 'no', 'x'))).toBe(`/no/x cannot be written: no such file or directory. ${hint}`)
    expect(await unwritten(join(folder, 'letter', 'x'))).toBe(`/letter/x cannot be written: not a directory. ${hint}`)
    expect(await unwritten('/proc/no/')).toMatch(
      /^\/proc\/no cannot be used: no such file or directory\. Check the path/,
    )
    expect(await origin.kith('restore', join(file, 'x'))).toMatchObject({
      stderr: expect.stringContaining('cannot be read: not a directory. Check the path'),
    })
    expect(readdirSync(folder).sort()).toEqual(['letter', 'whole.kith'])
  })

  it('holds every table that is not derived, the same ones in both databases', async () => {
    const engines = process.env.TEST_ENGINE === 'postgres' ? ['sqlite', 'postgres'] : ['sqlite']
    const described = await Promise.all(
      engines.map(async (engine) => {
        const one = await installation(engine)
        await one.kith('migrate')
        const runtime = runtimeAt(one.database.url, '')
        const tables = await runtime.engine.loadTables(runtime.engine.db)
        await runtime.engine.close()
        return tables.map(({ name, columns, key }) => ({
          name,
          columns: columns.map((column) => column.name),
          // The number of a record is unique in SQLite, and in its workspace in PostgreSQL.
          key: key.filter((column) => column !== 'workspace'),
        }))
      }),
    )
    expect(described[0]?.map((table) => table.name)).toEqual(
      expect.arrayContaining([
        'users',
        'sessions',
        'accounts',
        'workspaces',
        'members',
        'tokens',
        'custom_fields',
        'records',
        'links',
      ]),
    )
    for (const tables of described) expect(tables).toEqual(described[0])
  })
})
