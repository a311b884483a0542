import type { FieldTypeName } from '@kith/contract/field-type-name'
import { fieldTypes } from '@kith/contract/field-types'
import { type Issue, reportInto } from '@kith/contract/issue'
import { parseRecordInput } from '@kith/contract/record-input'
import { resourceIn } from '@kith/contract/resource'
import { expect } from 'vitest'
import type { Answered } from './api.ts'
import { isLong } from './run-length.ts'
import { newWorkspace, type Option, type TestWorkspace } from './workspace.ts'

/** A field `it`, named "It", of the companies in a workspace of its own, and every way to write it. */
export type WrittenField = {
  workspace: TestWorkspace
  options: readonly Option[]
  /** The value as it is read after it was written. */
  shown(value: unknown): Promise<unknown>
  /** The errors of a refused value, by path. */
  refused(value: unknown): Promise<Record<string, string[]>>
}

/**
 * All writes have one parser. In `npm test` the first value of each type that is accepted and the first that is refused
 * are written by create, update and upsert, which must agree with the parser. The others are only parsed.
 */
export async function writtenField(type: FieldTypeName, rest: Record<string, unknown> = {}): Promise<WrittenField> {
  const workspace = await newWorkspace()
  const { options } = await workspace.field('companies', { name: 'It', type, ...rest })
  const { api } = workspace
  let target = ''

  /** Keys that are undefined are not sent. */
  const ways: Readonly<Record<string, (value: unknown) => Promise<Answered>>> = {
    create: (it) => api.post('/companies', { name: 'Acme', custom_fields: { it } }),
    put: (it) => api.put(`/companies/${target}`, { custom_fields: { it } }),
    patch: (it) => api.patch(`/companies/${target}`, { custom_fields: { it } }),
    'upsert that creates': (it) => upsert(workspace, `${newHost()}.example`, it),
    'upsert that updates': (it) => upsert(workspace, 'target.example', it),
  }

  async function makeTarget(): Promise<void> {
    if (target === '') target = (await upsert(workspace, 'target.example', undefined)).body.data.id
  }

  async function expectShown(value: unknown, shown: unknown): Promise<void> {
    await makeTarget()
    for (const [way, write] of Object.entries(ways)) {
      await api.put(`/companies/${target}`, { custom_fields: { it: null } })
      const answer = await write(value)
      expect(answer.status, `${way}: ${answer.text.slice(0, 500)}`).toBe(way.includes('create') ? 201 : 200)
      const { id, attributes } = answer.body.data
      const read = await api.get(`/companies/${id}`)
      expect(read.body.data.attributes, way).toEqual(attributes)
      expect(attributes.custom_fields.it, way).toEqual(shown)
    }
  }

  async function expectRefused(value: unknown, errors: Record<string, string[]>): Promise<void> {
    await makeTarget()
    const before = await api.get('/companies')
    for (const [way, write] of Object.entries(ways)) {
      const answer = await write(value)
      expect(answer.status, `${way}: ${answer.text.slice(0, 500)}`).toBe(422)
      expect(answer.body.errors, way).toEqual(errors)
    }
    const after = await api.get('/companies')
    expect(after.body.data).toEqual(before.body.data)
    expect(after.body.meta.total).toBe(before.body.meta.total)
  }

  return {
    workspace,
    options,
    async shown(value) {
      const { shown, errors } = await parsed(workspace, value)
      expect(errors).toEqual({})
      if (isWritten(`${type} shown`)) await expectShown(value, shown)
      return shown
    },
    async refused(value) {
      const { errors } = await parsed(workspace, value)
      expect(errors).not.toEqual({})
      if (isWritten(`${type} refused`)) await expectRefused(value, errors)
      return errors
    },
  }
}

const written = new Set<string>()

/** Whether a case is also sent to the service: in `npm test` the first of each kind. */
function isWritten(kind: string): boolean {
  const isFirst = !written.has(kind)
  written.add(kind)
  return isLong || isFirst
}

/** What the parser of all writes makes of a value: how it is read again, or what is wrong with it. */
async function parsed(workspace: TestWorkspace, value: unknown) {
  const { schema } = await workspace.scope()
  const sent = JSON.parse(JSON.stringify({ name: 'Acme', custom_fields: { it: value } }))
  const issues: Issue[] = []
  const context = { resource: resourceIn(schema, 'companies'), creating: true }
  const { values, wrong } = parseRecordInput(sent, context, reportInto(issues))
  const all = [...issues, ...[...wrong.values()].flatMap((one) => one.issues)]
  const errors = Object.entries(Object.groupBy(all, ({ path }) => path)).map(([path, some = []]) => [
    path,
    some.map(({ message }) => message),
  ])
  const [field, stored = null] = [...values][0] ?? []
  const unset = field && fieldTypes[field.type].list ? [] : null
  const shown = field && stored !== null ? fieldTypes[field.type].present(stored, field) : unset
  return { shown, errors: Object.fromEntries(errors) as Record<string, string[]> }
}

function upsert({ api }: TestWorkspace, host: string, it: unknown): Promise<Answered> {
  const match = { field: 'domains', value: host }
  return api.post('/companies/upsert', { match, name: 'Acme', custom_fields: { it } })
}

let hosts = 0

function newHost(): string {
  hosts++
  return `h${hosts}`
}
