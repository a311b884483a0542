import { CURSOR_HOURS } from '@kith/contract/limits'
import { registry } from '@kith/contract/registry'
import { expect, it } from 'vitest'
import { type ListOrder, readCursor, writeCursor } from '../../../src/records/list.ts'
import { updateRecord } from '../../../src/records/write.ts'
import { inTransaction } from '../../../src/scope/scope.ts'
import { sql } from '../../../src/storage/engines/sql.ts'
import { columnsOf } from '../../../src/storage/engines/stored-table.ts'
import { deleteExpiredMoves } from '../../../src/storage/tables/records.ts'
import { testEngine } from '../../engine.ts'
import { errorsOf, follow, idsOf, pagesFrom, stock } from '../../lists.ts'
import { newWorkspace } from '../../workspace.ts'

const letters = [...'abcdefgh']

it('a write that was under way when the scan began, and is done later, hides no record', async () => {
  const workspace = await newWorkspace()
  const { api } = workspace
  const ids = await stock(
    workspace,
    'companies',
    letters.map((name) => ({ name })),
  )
  const [renamed, touched] = [ids[6] ?? '', ids[7] ?? '']
  for (const sort of ['name', '-updated_at']) {
    const begun = Promise.withResolvers<void>()
    const ending = Promise.withResolvers<void>()
    const writing = inTransaction(await workspace.scope(), async (inside) => {
      const body = (changed: object) => ({ body: changed, asked: { raw: {}, loose: false, issues: [] } })
      await updateRecord(inside, registry.companies, { id: renamed, ...body({ name: sort === 'name' ? 'aa' : 'g' }) })
      await updateRecord(inside, registry.companies, {
        id: touched,
        ...body({ custom_fields: { icp: sort === 'name' } }),
      })
      begun.resolve()
      await ending.promise
    })
    await begun.promise
    const first = await api.get(`/companies?sort=${sort}&cursor=true&per_page=2`)
    ending.resolve()
    await writing
    const rest = await follow(api, first.body.links.next)
    const more = await pagesFrom(api, rest.body.links.next.slice(api.base.length))
    const shown = [...idsOf(first), ...idsOf(rest), ...more.flat()]
    expect([...shown].sort(), sort).toEqual([...ids].sort())
  }
})

it('a record that moves is shown as it is, where it was', async () => {
  const workspace = await newWorkspace()
  const { api } = workspace
  const ids = await stock(
    workspace,
    'people',
    letters.map((name) => ({ name })),
  )
  const first = await api.get('/people?sort=name&cursor=true&per_page=2')
  await api.put(`/people/${ids[3]}`, { name: 'z' })
  const next = await follow(api, first.body.links.next)
  expect(next.body.data.map((record: { attributes: { name: string } }) => record.attributes.name)).toEqual(['c', 'z'])
  const back = await follow(api, next.body.links.prev)
  expect(idsOf(back)).toEqual(ids.slice(0, 2))
})

it('a cursor whose scan began too long ago: 422 on cursor, and says to start again', async () => {
  const workspace = await newWorkspace()
  const { api } = workspace
  const ids = await stock(workspace, 'companies', [{ name: 'a' }, { name: 'b' }])
  const scope = await workspace.scope()
  const scanned: ListOrder = {
    resource: registry.companies,
    sort: [{ by: 'attribute', name: 'name', descending: false }],
  }
  const { body } = await api.get('/companies?sort=name&cursor=true&per_page=1')
  const position = readCursor(scope, scanned, body.meta.next_cursor)
  const begun = position?.begun
  if (!begun) throw new Error('The cursor does not know when its scan began.')
  const agedBy = (ms: number) => {
    const cursor = writeCursor(scope, scanned, { ...position, begun: { ...begun, at: Date.now() - ms } })
    return `/companies?sort=name&cursor=${cursor}`
  }
  const day = CURSOR_HOURS * 3_600_000
  expect(idsOf(await api.get(agedBy(day - 60_000)))).toEqual([ids[1]])
  const errors = await errorsOf(api.get(agedBy(day + 1000)))
  expect(errors).toEqual({
    cursor: [expect.stringMatching(/began more than 24 hours ago.*Send true to start again\./)],
  })
})

it('where records stood is forgotten after that time, and not before', async () => {
  const engine = await testEngine()
  const numbers = ['workspace', 'resource', 'record']
  const columns = columnsOf([...numbers, 'name_key', 'updated_at', 'moved_at'], numbers)
  const moves = Array.from({ length: 11_000 }, (_, index) => [1, 1, index, 'a', '2026', `at ${index % 10}`])
  await engine.transaction((inside) =>
    engine.insertRows(
      inside,
      { table: 'key_moves', columns },
      [...moves].sort((one, other) => (String(one[5]) < String(other[5]) ? -1 : 1)),
    ),
  )
  await deleteExpiredMoves(engine, 'at 9')
  const left = await sql<{ moved_at: string }>`select moved_at from key_moves`.all(engine.db)
  expect(left.length).toBe(1100)
  expect(new Set(left.map((move) => move.moved_at))).toEqual(new Set(['at 9']))
  await engine.close()
})
