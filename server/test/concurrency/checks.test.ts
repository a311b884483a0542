import { expect, it } from 'vitest'
import { checkAccess } from './check-access.ts'
import { auditProblems, type Entry } from './check-audit.ts'
import { checkConditions } from './check-conditions.ts'
import { checkDeletions } from './check-deletions.ts'
import { checkRelations, checkRows, checkStatuses, checkTotals } from './check-lists.ts'
import { checkReferences } from './check-references.ts'
import { checkRegisters } from './check-registers.ts'
import { checkScans } from './check-scans.ts'
import { checkUnique } from './check-unique.ts'
import type { Call, Deed } from './history.ts'
import type { RandomRun } from './world.ts'

/** Histories of a few calls, written by hand. Each check accepts one and rejects another that differs in one point. */
function run(...calls: readonly Partial<Call>[]): RandomRun {
  const whole = calls.map((call, number) => ({ number, asked: { node: 0, method: 'GET', path: '/' }, ...call }))
  // Only these parts are looked at.
  return { history: { calls: whole, problems: [] }, hubs: ['hub'], workerToken: 'worker' } as unknown as RandomRun
}

type Times = readonly [start: number, end: number]

function call(deed: Deed, [start, end]: Times, status: number, body: unknown = {}): Partial<Call> {
  const answer = { status, headers: new Headers(), text: '', body }
  return { deed, start, end, answer }
}

const row = (id: string, name: string, version: number, more: object = {}) => ({
  id,
  type: 'companies',
  attributes: { name, updated_at: `2026-01-0${version}`, custom_fields: {}, ...more },
})
const made = (times: Times, id = 'a', more: object = {}) =>
  call({ kind: 'create', type: 'companies', token: 'n1' }, times, 201, { data: row(id, 'n1', 1, more) })
const updated = (times: Times, status = 200) =>
  call({ kind: 'update', type: 'companies', id: 'a', token: 'n2' }, times, status, { data: row('a', 'n2', 2) })
const read = (times: Times, name: string, version: number) =>
  call({ kind: 'read', type: 'companies', id: 'a' }, times, 200, { data: row('a', name, version) })
const missing = (times: Times) => call({ kind: 'read', type: 'companies', id: 'a' }, times, 404)
const deleted = (times: Times) => call({ kind: 'delete', type: 'companies', id: 'a' }, times, 204)
const listed = (total: number, ...data: unknown[]) =>
  call({ kind: 'list', type: 'companies', query: 'companies', page: 1, per_page: 100 }, [20, 21], 200, {
    data,
    meta: { total, from: data.length ? 1 : null, to: data.length || null },
  })

it('a read that overlaps a write may show either version; one that starts later must show the new one', () => {
  const writes = [made([0, 1]), updated([2, 6])]
  expect(checkRegisters(run(...writes, read([3, 4], 'n2', 2), read([4, 5], 'n2', 2)).history)).toEqual([])
  expect(checkRegisters(run(...writes, read([3, 4], 'n2', 2), read([5, 7], 'n1', 1)).history)).toHaveLength(1)
  expect(checkRegisters(run(...writes, read([7, 8], 'n1', 1)).history)).toHaveLength(1)
})

it('a version has one content, which a call that started and was not refused has written', () => {
  expect(checkRegisters(run(made([0, 1]), updated([2, 3]), read([4, 5], 'n1', 2)).history)).toHaveLength(1)
  expect(checkRegisters(run(made([0, 1]), read([2, 3], 'n2', 2), updated([4, 5])).history)).toHaveLength(1)
  expect(checkRegisters(run(made([0, 1]), updated([2, 3], 422), read([4, 5], 'n2', 2)).history)).toHaveLength(1)
})

it('a write with If-Match takes effect on the version that it names and on no other', () => {
  const expecting = (times: Times, tag: string, status: number, version: number) => ({
    ...call({ kind: 'update', type: 'companies', id: 'a', token: 'n3' }, times, status, {
      ...(status === 412 ? { updated_at: `2026-01-0${version}` } : { data: row('a', 'n3', version) }),
    }),
    asked: { node: 0, method: 'PUT', path: '/companies/a', headers: { 'If-Match': tag } } as const,
  })
  const writes = [made([0, 1]), updated([2, 3])]
  const check = (last: Partial<Call>) => checkConditions(run(...writes, last).history)
  expect(check(expecting([4, 5], '"2026-01-02"', 200, 3))).toEqual([])
  expect(check(expecting([4, 5], '"x", "2026-01-02~0f"', 200, 3))).toEqual([])
  expect(check(expecting([4, 5], '*', 200, 3))).toEqual([])
  expect(check(expecting([4, 5], '"2026-01-01"', 412, 2))).toEqual([])
  expect(check(expecting([4, 5], '"2026-01-01"', 200, 3))).toHaveLength(1)
  expect(check(expecting([2, 5], '"2026-01-01"', 200, 3))).toHaveLength(1)
  expect(check(expecting([4, 5], '"2026-01-02"', 412, 2))).toHaveLength(1)
})

it('a record is missing only between a deletion and a restore', () => {
  expect(checkDeletions(run(made([0, 1]), deleted([2, 3]), missing([4, 5])))).toEqual([])
  expect(checkDeletions(run(made([0, 1]), missing([1.5, 1.8]), deleted([2, 3])))).toHaveLength(1)
  expect(checkDeletions(run(made([0, 1]), deleted([2, 3]), read([4, 5], 'n1', 1)))).toHaveLength(1)
  const restored = call({ kind: 'restore', type: 'companies', id: 'a' }, [6, 7], 200, { data: row('a', 'n1', 2) })
  expect(checkDeletions(run(made([0, 1]), deleted([2, 3]), missing([4, 5]), restored))).toEqual([])
  expect(checkDeletions(run(made([0, 1]), deleted([2, 3]), restored, missing([8, 9])))).toHaveLength(1)
})

it('a list of everything leaves out no record that is there', () => {
  expect(checkDeletions(run(made([0, 1]), listed(1, row('a', 'n1', 1))))).toEqual([])
  expect(checkDeletions(run(made([0, 1]), listed(0)))).toHaveLength(1)
})

it('rows, totals and unique values of a list agree', () => {
  const held = { custom_fields: { domains: ['d1.example'] } }
  const [one, other] = [row('a', 'n1', 1, held), row('b', 'n2', 1, held)]
  expect(checkTotals(run(listed(1, one)))).toEqual([])
  expect(checkTotals(run(listed(2, one)))).toHaveLength(1)
  expect(checkUnique(run(listed(1, one)).history)).toEqual([])
  expect(checkUnique(run(listed(2, one, other)).history)).toHaveLength(1)
})

it('the values of a field that was made unique are unique until that is changed', () => {
  const held = { custom_fields: { serial: 's1' } }
  const list = listed(2, row('a', 'n1', 1, held), row('b', 'n2', 1, held))
  const unique = (value: boolean, times: Times, duplicates = 0) =>
    call({ kind: 'unique' }, times, 200, { data: { attributes: { unique: value } }, meta: { duplicates } })
  expect(checkUnique(run(list).history)).toEqual([])
  expect(checkUnique(run(unique(true, [0, 1]), list).history)).toHaveLength(1)
  expect(checkUnique(run(unique(true, [0, 1], 1), list).history)).toEqual([])
  expect(checkUnique(run(unique(true, [0, 1]), unique(false, [2, 3]), list).history)).toEqual([])
})

it('the audit log has one entry for each change, and each change follows on the one before', () => {
  const { history } = run(made([0, 1]), updated([2, 3]), deleted([4, 5]))
  const entry = (action: string, ...changes: Entry['changes']): Entry => ({
    action,
    resource: 'companies',
    record_id: 'a',
    changes,
  })
  const right = [entry('create'), entry('update', ['name', 'n1', 'n2']), entry('delete')]
  expect(auditProblems(history, right)).toEqual([])
  expect(auditProblems(history, right.slice(0, 2))).toHaveLength(1)
  expect(
    auditProblems(history, [entry('create'), entry('update', ['name', 'n0', 'n2']), entry('delete')]),
  ).toHaveLength(1)
  expect(auditProblems(history, [...right, entry('restore'), entry('restore')])).toHaveLength(1)
  expect(auditProblems(run(made([0, 1]), updated([2, 3], 422)).history, right.slice(0, 2))).toHaveLength(1)
  const role = (before: string, after: string) => entry('update', ['role', before, after])
  expect(auditProblems(history, [...right, role('member', 'viewer'), role('viewer', 'member')])).toEqual([])
  expect(auditProblems(history, [...right, role('member', 'viewer'), role('member', 'viewer')])).toHaveLength(1)
})

it('rows match their filter, and relationships agree with attributes', () => {
  const people = (query: string, company_id: string | null, related: string | null) =>
    call({ kind: 'list', type: 'people', query, page: 1, per_page: 100 }, [20, 21], 200, {
      data: [
        { ...row('p', 'n1', 1, { company_id }), relationships: { company: { data: related && { id: related } } } },
      ],
      included: related === null ? [] : [row(related, 'n2', 1)],
      meta: { total: 1, from: 1, to: 1 },
    })
  const right = run(people('people of the hub', 'hub', 'hub'))
  expect([...checkRows(right), ...checkRelations(right)]).toEqual([])
  expect(checkRows(run(people('people of the hub', 'x', 'x')))).toHaveLength(1)
  expect(checkRelations(run(people('people with their companies', 'hub', null)))).toHaveLength(1)
  expect(checkRelations(run(people('people of a company with 1 in its name', 'x', 'x')))).toHaveLength(1)
})

it('a scan shows each record that is there throughout once', () => {
  const page = (number: number, next_cursor: string | null, ...ids: string[]) =>
    call({ kind: 'scan', type: 'companies', scan: '1', page: number }, [number * 10, number * 10 + 1], 200, {
      data: ids.map((id) => row(id, 'n1', 1)),
      meta: { next_cursor },
    })
  const before = [made([0, 1], 'a'), made([2, 3], 'b')]
  expect(checkScans(run(...before, page(1, 'x', 'a'), page(2, null, 'b')))).toEqual([])
  expect(checkScans(run(...before, page(1, 'x', 'a'), page(2, null)))).toHaveLength(1)
  expect(checkScans(run(...before, page(1, 'x', 'a', 'b'), page(2, null, 'b')))).toHaveLength(1)
})

it('an emptied list of links stays empty', () => {
  const task = (times: Times, kind: 'create' | 'read', companies: string[]) => {
    const data = { ...row('t', 'n1', 1), relationships: { companies: { data: companies.map((id) => ({ id })) } } }
    const deed: Deed =
      kind === 'create' ? { kind, type: 'tasks', token: 'n1', links: [] } : { kind: 'read', type: 'tasks', id: 't' }
    return call(deed, times, 200, { data })
  }
  expect(checkReferences(run(task([0, 1], 'create', []), task([2, 3], 'read', [])).history)).toEqual([])
  expect(checkReferences(run(task([0, 1], 'create', []), task([2, 3], 'read', ['x'])).history)).toHaveLength(1)
})

it('a reference that was written leads to its company while that is there and no merge of the record is undone', () => {
  const person = (company_id: string | null, version: number) => ({ data: row('p', 'n1', version, { company_id }) })
  const written = (times: Times) => ({
    ...call({ kind: 'update', type: 'people', id: 'p', token: 'n1' }, times, 200, person('x', 1)),
    asked: { node: 0, method: 'PUT', path: '/people/p', body: { company_id: 'x' } } as const,
  })
  const shown = (company_id: string | null) =>
    call({ kind: 'read', type: 'people', id: 'p' }, [20, 21], 200, person(company_id, 2))
  const companies = { type: 'companies' } as const
  const merged = call({ kind: 'merge', ...companies, winner: 'x', loser: 'y' }, [0, 1], 200)
  const undone = call({ kind: 'undo', ...companies, winner: 'x', loser: 'y' }, [6, 7], 200)
  const gone = (id: string, times: Times) => call({ kind: 'delete', ...companies, id }, times, 204)
  const check = (...calls: Partial<Call>[]) => checkReferences(run(...calls).history)
  expect(check(written([4, 5]), shown('x'))).toEqual([])
  expect(check(written([4, 5]), shown(null))).toHaveLength(1)
  expect(check(written([4, 5]), gone('x', [8, 9]), shown(null))).toEqual([])
  expect(check(merged, written([4, 5]), undone, gone('y', [8, 9]), shown(null))).toEqual([])
  expect(check(merged, written([4, 5]), undone, shown(null))).toHaveLength(1)
  const people = call({ kind: 'merge', type: 'people', winner: 'p', loser: 'q' }, [0, 1], 200)
  const restored = call({ kind: 'restore', type: 'people', id: 'q' }, [6, 7], 200)
  expect(check(people, written([4, 5]), restored, shown(null))).toEqual([])
  expect(check(people, written([4, 5]), shown(null))).toHaveLength(1)
})

it('a role decides from the moment it is given', () => {
  const role = (name: string, times: Times) => call({ kind: 'role', role: name }, times, 200)
  const write = (times: Times, status: number) => ({
    ...call({ kind: 'create', type: 'companies', token: 'n1' }, times, status),
    asked: { node: 0, method: 'POST', path: '/companies', token: 'worker' } as const,
  })
  expect(checkAccess(run(role('viewer', [0, 1]), write([0.5, 2], 201), write([2, 3], 403)))).toEqual([])
  expect(checkAccess(run(role('viewer', [0, 1]), write([2, 3], 201)))).toHaveLength(1)
  expect(checkAccess(run(write([2, 3], 403), role('viewer', [4, 5])))).toHaveLength(1)
})

it('a failure of the service is no answer', () => {
  expect(checkStatuses(run(made([0, 1])).history)).toEqual([])
  expect(checkStatuses(run(made([0, 1]), updated([2, 3], 503), updated([2, 3], 500)).history)).toHaveLength(2)
})
