import { describe, expect, it } from 'vitest'
import { sql } from '../../../src/storage/engines/sql.ts'
import { apiAt } from '../../api.ts'
import { testDatabase } from '../../engine.ts'
import { failedStart, SECRET } from '../../failed-start.ts'
import { ownProcess } from '../../own-service.ts'
import { runKith, spawnKith } from '../../run-kith.ts'
import { startService } from '../../setup/service.ts'
import { runtimeAt } from '../../workspace.ts'

describe('starting', () => {
  it('a second start on the same database works, and all is still there', async () => {
    const own = await ownProcess()
    const { api } = await own.workspace()
    for (const name of ['One', 'Two', 'Three']) await api.post('/companies', { name })
    const scan = await api.get('/companies?cursor=true&per_page=2')
    expect(await own.service.stop()).toBe(0)
    const again = await startService(own.env)
    const back = apiAt(again.url, api.token)
    expect((await back.get('/companies')).body.data).toHaveLength(3)
    // A cursor outlives the process that made it.
    const rest = await back.get(`/companies?cursor=${scan.body.meta.next_cursor}&per_page=2`)
    expect(rest.body.data.map((record: { attributes: { name: string } }) => record.attributes.name)).toEqual(['One'])
    expect(await again.stop()).toBe(0)
    await own.stop()
  })

  it('refuses to start on a database of a newer version, in one clear line that names the way back', async () => {
    const database = await testDatabase()
    const env = { DATABASE_URL: database.url, SECRET }
    expect((await spawnKith(['migrate'], env)).code).toBe(0)
    const runtime = runtimeAt(database.url, SECRET)
    const newer = { name: '9999-of-the-future', applied_at: new Date().toISOString() }
    await sql`insert into migrations ${sql.values(newer)}`.run(runtime.engine.single)
    await runtime.engine.close()
    const { code, lines } = await failedStart(env)
    expect(code).toBe(1)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/This database was migrated by a newer version \(9999-of-the-future\)\./)
    expect(lines[0]).toMatch(
      /Start that version again, or restore the backup from before the upgrade into a new database/,
    )
    expect(lines[0]).not.toMatch(/unexpected/i)
    await database.drop()
  })

  it('refuses a database of a version before the first release, says what to do, and changes nothing in it', async () => {
    const database = await testDatabase()
    const env = { DATABASE_URL: database.url, SECRET }
    const { engine } = runtimeAt(database.url, SECRET)
    // As 0.2.0 made it.
    const statements = [
      'create table migrations (name text primary key, applied_at text not null)',
      "insert into migrations values ('0001-foundation', '2026-11-14'), ('0002-key-moves', '2026-11-14')",
      'create table companies (id text primary key, name text not null)',
      "insert into companies values ('a', 'Globex')",
    ]
    for (const statement of statements) await sql.raw(statement).run(engine.single)
    const content = async () => ({
      // Without the statistics that SQLite makes when it is closed.
      tables: [...(await engine.loadNames(engine.db))].filter((name) => !name.startsWith('sqlite_')).sort(),
      migrations: await sql`select * from migrations order by name`.all(engine.db),
      companies: await sql`select * from companies`.all(engine.db),
    })
    const before = await content()
    const { code, lines } = await failedStart(env)
    expect([code, lines.length]).toEqual([1, 1])
    expect(lines[0]).toContain('This database was migrated by a version before 1.0.0 (0001-foundation).')
    expect(lines[0]).toContain(
      'Start that version again, export the records there, and import them into a new database',
    )
    for (const command of [['migrate'], ['workspace', 'list'], ['doctor']]) {
      const ran = await runKith(command, env)
      expect([ran.code, ran.stdout + ran.stderr]).toEqual([1, expect.stringContaining('a version before 1.0.0')])
    }
    expect(await content()).toEqual(before)
    await engine.close()
    await database.drop()
  })

  it('says so in one clear line when the database cannot be opened', async () => {
    const { code, lines } = await failedStart({
      DATABASE_URL:
        process.env.TEST_ENGINE === 'postgres' ? 'postgres://user:hidden@127.0.0.1:1/kith' : 'file:/dev/null/kith.db',
    })
    expect(code).toBe(1)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/^The database .* could not be opened: /)
    expect(lines[0]).not.toContain('hidden')
  })

  it('of several processes that meet an empty database at once, one sets it up', async () => {
    const database = await testDatabase()
    const env = { DATABASE_URL: database.url, SECRET }
    const ran = await Promise.all([1, 2, 3].map(() => spawnKith(['migrate', '--json'], env)))
    expect(ran.map(({ code, stderr }) => [code, stderr])).toEqual([0, 0, 0].map((code) => [code, '']))
    const applied = ran.map(({ stdout }) => JSON.parse(stdout).applied.length)
    expect(applied.filter((count) => count > 0)).toHaveLength(1)
    await database.drop()
  })
})
