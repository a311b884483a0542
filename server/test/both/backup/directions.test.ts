import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { registry } from '@kith/contract/registry'
import { includeNames, resourceNames } from '@kith/contract/resource'
import { describe, expect, it } from 'vitest'
import { enterAsMember, enterAsOperator } from '../../../src/accounts/workspace.ts'
import { reindexWorkspace } from '../../../src/records/reindex.ts'
import { listRepeating, readPlan, replaceReminder, replaceRepeat } from '../../../src/records/tasks/task-plan.ts'
import { derived } from '../../derived/derived-state.ts'
import { writeAtRandom } from '../../derived/random-writes.ts'
import { testDatabase } from '../../engine.ts'
import { installation, newFolder, newSecret } from '../../installation.ts'
import { plainRequest } from '../../plain-http.ts'
import { inRun, isLong } from '../../run-length.ts'
import { newWorkspace, runtimeAt, type TestWorkspace } from '../../workspace.ts'

const WRITES = inRun({ short: 30, long: 60 })

/** Both databases are there only where the tests of PostgreSQL run. */
const directions: [from: string, to: string][] =
  process.env.TEST_ENGINE === 'postgres'
    ? [
        ['sqlite', 'postgres'],
        ['postgres', 'sqlite'],
        ...(isLong ? [['postgres', 'postgres'] as [string, string]] : []),
      ]
    : [['sqlite', 'sqlite']]

/** What the service says about everything in a workspace, to the byte; the host is always the same. */
async function allAnswers(url: string, token: string): Promise<string[]> {
  const answers: string[] = []
  const ask = async (path: string, body?: object) => {
    const {
      status,
      text,
      body: parsed,
    } = await plainRequest(`${url}/api/v1${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { Authorization: `Bearer ${token}`, Host: 'kith.example', 'Content-Type': 'application/json' },
      body: body && JSON.stringify(body),
    })
    // Cursors hold a place in the changes feed, which begins again with a restored backup.
    const shown = `${path} ${JSON.stringify(body)} → ${status} ${text}`
    answers.push(shown.replaceAll(/(cursor=|cursor":")[\w-]{20,}/g, '$1…'))
    return parsed
  }
  await ask('/user')
  await ask('/custom-fields?per_page=100')
  await ask('/notifications?per_page=100')
  await ask('/notifications/settings')
  for (const type of resourceNames) {
    const { label } = registry[type]
    const include = includeNames(registry[type]).join(',')
    for (const sort of [label, '-created_at', 'updated_at'])
      await ask(`/${type}?sort=${sort}&include=${include}&per_page=20`)
    await ask(`/${type}/query`, { filter: { [label]: { $contains: 'a' } }, sort: label })
    await ask(`/${type}/query`, { filter: { $not: { custom_fields: { nothing: { $eq: 1 } } } } })
    for (let cursor = 'true'; cursor; ) {
      const { data, meta } = await ask(`/${type}?cursor=${cursor}&per_page=7`)
      for (const { id } of data.slice(0, 2)) {
        await ask(`/${type}/${id}?include=${include}`)
        await ask(`/${type}/${id}/follow`)
      }
      cursor = meta.next_cursor
    }
  }
  return answers
}

/**
 * The owner gets a notification about a task that repeats, wants to be reminded of it, chooses other mails, and does
 * not follow the newest company any more.
 */
async function notify(workspace: TestWorkspace): Promise<void> {
  const colleague = await workspace.token({ user: await workspace.member('member') })
  const { body } = await colleague.post('/tasks', { title: 'Told', assignee_ids: [workspace.owner.id] })
  const owner = await enterAsMember(workspace.runtime, workspace.slug, workspace.owner.id)
  await replaceRepeat(owner, body.data.id, { unit: 'month', every: 2 })
  await replaceReminder(owner, body.data.id, { minutes_before: 60 })
  await workspace.api.put('/notifications/settings', { due: 'none' })
  const { data } = (await workspace.api.get('/companies?sort=-created_at&per_page=1')).body
  await workspace.api.delete(`/companies/${data[0].id}/follow`)
}

/** How tasks repeat, and when the owner is reminded of them. */
async function plansOf({ runtime, slug, owner }: TestWorkspace) {
  const scope = await enterAsMember(runtime, slug, owner.id)
  return Promise.all((await listRepeating(scope)).map((id) => readPlan(scope, id)))
}

describe('8. kith backup and kith restore: a backup brings everything back', () => {
  it.each(directions)(
    'from %s to %s, and the service answers the same requests with the same bytes',
    async (from, to) => {
      const secret = newSecret()
      const [old, fresh] = [await installation(from, secret), await installation(to, secret, testDatabase)]
      const file = join(newFolder(), 'all.kith')

      let service = await old.serve()
      let runtime = runtimeAt(old.database.url, secret)
      const workspaces: TestWorkspace[] = []
      for (const seed of ['one', 'two']) {
        const workspace = await newWorkspace({ url: service.url, runtime })
        await writeAtRandom(workspace, seed, WRITES)
        await notify(workspace)
        workspaces.push(workspace)
      }
      const before = await Promise.all(workspaces.map((one) => allAnswers(service.url, one.api.token)))
      const derivedBefore = await Promise.all(workspaces.map(derived))
      const planned = await Promise.all(workspaces.map(plansOf))
      expect(planned[0]).toMatchObject([{ repeat: { unit: 'month', every: 2 }, reminder: { minutes_before: 60 } }])
      expect(before[0]?.join('\n')).toContain('→ 200')
      expect(before[0]?.join('\n')).toContain('assigned the task Told to you.')
      expect(before[0]?.join('\n')).toContain('"following":false')
      const backup = await old.kith('backup', file, '--json')
      expect(backup, backup.stderr).toMatchObject({ code: 0, stderr: '' })
      await runtime.engine.close()
      await service.stop()

      const restored = await fresh.kith('restore', file, '--json')
      expect(restored, restored.stderr).toMatchObject({ code: 0, stderr: '' })
      const [written, read] = [JSON.parse(backup.stdout), JSON.parse(restored.stdout)]
      expect(read.tables).toEqual(written.tables)
      expect(read.rows).toBe(written.rows)

      service = await fresh.serve()
      runtime = runtimeAt(fresh.database.url, secret)
      for (const [index, workspace] of workspaces.entries()) {
        const here = { ...workspace, runtime }
        expect(await derived(here)).toEqual(derivedBefore[index])
        expect(await plansOf(here)).toEqual(planned[index])
        expect(await allAnswers(service.url, workspace.api.token)).toEqual(before[index])
        const made = await plainRequest(`${service.url}/api/v1/companies`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${workspace.api.token}`, 'Content-Type': 'application/json' },
          body: '{"name":"New here"}',
        })
        expect(made.status).toBe(201)
      }
      const [first] = workspaces
      if (!first) throw new Error('There is no workspace.')
      const kept = await derived({ ...first, runtime })
      await reindexWorkspace(await enterAsOperator(runtime, first.slug))
      expect(await derived({ ...first, runtime })).toEqual(kept)
      await runtime.engine.close()
      await service.stop()
    },
  )

  it.runIf(isLong)('a copy of a copy, by way of the other database, holds the same lines', async () => {
    const secret = newSecret()
    const folder = newFolder()
    const chain =
      process.env.TEST_ENGINE === 'postgres' ? ['sqlite', 'postgres', 'sqlite'] : ['sqlite', 'sqlite', 'sqlite']
    let [origin, ...others] = await Promise.all(chain.map((engine) => installation(engine, secret)))
    if (!origin) throw new Error('There is no installation.')
    await origin.kith('migrate')
    await origin.kith('user', 'create', '--email', 'ada@example.com', '--name', 'Ada')
    await origin.kith('workspace', 'create', '--name', 'Acme', '--slug', 'acme', '--owner', 'ada@example.com')
    await origin.kith('sample', '--workspace', 'acme', '--companies', '900', '--people', '400', '--tasks', '90')
    const seen: string[] = []
    for (const [index, next] of [...others, undefined].entries()) {
      const file = join(folder, `${index}.kith`)
      expect(await origin.kith('backup', file)).toMatchObject({ code: 0 })
      seen.push(linesOf(file))
      if (!next) break
      expect(await next.kith('restore', file)).toMatchObject({ code: 0, stderr: '' })
      origin = next
    }
    expect(seen).toHaveLength(3)
    expect(seen[1]).toBe(seen[0])
    expect(seen[2]).toBe(seen[0])
    expect(seen[0]?.split('\n').length).toBeGreaterThan(1300)
  })
})

/** All but the first and the last line, which tell when it was made. */
function linesOf(file: string): string {
  return gunzipSync(readFileSync(file)).toString().trimEnd().split('\n').slice(1, -1).join('\n')
}
