import { describe, expect, it } from 'vitest'
import { archiveField, createField, deleteField, restoreField, updateField } from '../../../src/schema/define.ts'
import { orderFields } from '../../../src/schema/managed.ts'
import type { Scope } from '../../../src/scope/scope.ts'
import type { Answered } from '../../api.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

function versionIn({ headers }: Answered): string | null {
  return headers.get('x-schema-version')
}

async function versionOf({ api }: TestWorkspace): Promise<number> {
  return Number(versionIn(await api.get('/user')))
}

describe('sync 7. Every authenticated response carries X-Schema-Version', () => {
  it('whatever its status; a response to an unknown token carries none', async () => {
    const { api, token } = await newWorkspace()
    const made = await api.post('/companies', { name: 'Acme' })
    const path = `/companies/${made.body.data.id}`
    const reader = await token({ abilities: ['read'] })
    const answers = [
      made,
      await api.get('/companies'),
      await api.post('/companies/query', {}),
      await api.get('/companies?page=0'),
      await api.get('/companies/nothing'),
      await reader.post('/companies', {}),
      await api.send('POST', '/companies', 'x'.repeat(1024 * 1024 + 1)),
      await api.delete(path),
    ]
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 200, 422, 404, 403, 413, 204])
    expect(new Set(answers.map(versionIn)).size).toBe(1)
    expect(versionIn(made)).toMatch(/^[1-9][0-9]*$/)
    const unknown = await api.get('/companies', { headers: { Authorization: 'Bearer nothing' } })
    expect([unknown.status, versionIn(unknown)]).toEqual([401, null])
  })
})

type Change = (scope: Scope) => Promise<unknown>

const color = { entity_type: 'companies', code: 'color' } as const

/** In this order: each changes what the ones before have made. */
const changes: readonly (readonly [string, Change])[] = [
  ['create', (scope) => createField(scope, 'companies', { name: 'Color', type: 'select', options: ['Red', 'Blue'] })],
  ['rename', (scope) => updateField(scope, color, { name: 'Colour' })],
  ['add an option', (scope) => updateField(scope, color, { options: ['Red', 'Blue', 'Green'] })],
  ['remove an option', (scope) => updateField(scope, color, { options: ['Red', 'Green'] })],
  ['move', (scope) => updateField(scope, color, { position: 1 })],
  ['order', (scope) => reversed(scope)],
  ['archive', (scope) => archiveField(scope, color)],
  ['restore', (scope) => restoreField(scope, color)],
  ['archive again', (scope) => archiveField(scope, color)],
  ['delete', (scope) => deleteField(scope, color)],
]

async function reversed(scope: Scope): Promise<unknown> {
  const codes = await codesIn(scope)
  return orderFields(scope, 'companies', { input: { codes: codes.toReversed() }, issues: [] })
}

async function codesIn({ db, workspace }: Scope): Promise<string[]> {
  const sql = `select code from custom_fields where workspace_id = '${workspace.id}' and entity_type = 'companies'
    and archived_at is null order by position`
  const { rows } = await db.session.run(sql, [])
  return rows.map((row) => String(Object(row).code))
}

describe('sync 7. X-Schema-Version is an integer that grows by one with each change of definitions', () => {
  it('each change adds exactly one, and is seen by the next request', async () => {
    const workspace = await newWorkspace()
    for (const [name, change] of changes) {
      const before = await versionOf(workspace)
      await change(await workspace.scope())
      expect(await versionOf(workspace), name).toBe(before + 1)
    }
  })

  it('what changes nothing adds nothing: the same values, the same order, a refused change, a record', async () => {
    const workspace = await newWorkspace()
    const { api, scope } = workspace
    await createField(await scope(), 'companies', { name: 'Color', type: 'select', options: ['Red', 'Blue'] })
    const before = await versionOf(workspace)
    await updateField(await scope(), color, { name: 'Color', options: ['Red', 'Blue'] })
    await restoreField(await scope(), color)
    await orderFields(await scope(), 'companies', { input: { codes: await codesIn(await scope()) }, issues: [] })
    await expect(deleteField(await scope(), color)).rejects.toThrow('must be archived')
    await expect(createField(await scope(), 'companies', { name: '', type: 'text' })).rejects.toThrow()
    await api.post('/companies', { name: 'Acme', custom_fields: { color: 'Red' } })
    expect(await versionOf(workspace)).toBe(before)
  })
})
