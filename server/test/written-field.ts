import type { FieldTypeName } from '@kith/contract/field-type-name'
import { expect } from 'vitest'
import type { Answered } from './api.ts'
import { isLong } from './run-length.ts'
import { newWorkspace, type Option, type TestWorkspace } from './workspace.ts'

/** A field `it`, named "It", of the companies in a workspace of its own, and every way to write it. */
export type WrittenField = {
  workspace: TestWorkspace
  options: readonly Option[]
  /** Writes a value by create, update or upsert; all must show the same, in the answer and in a read. */
  shown(value: unknown): Promise<unknown>
  /** Writes likewise; all must be refused for the same reasons, and nothing be stored. Returns the errors by path. */
  refused(value: unknown): Promise<Record<string, string[]>>
}

export async function writtenField(type: FieldTypeName, rest: Record<string, unknown> = {}): Promise<WrittenField> {
  const workspace = await newWorkspace()
  const { options } = await workspace.field('companies', { name: 'It', type, ...rest })
  const { api } = workspace
  const target = (await upsert(workspace, 'target.example', undefined)).body.data.id

  /** Keys that are undefined are not sent. */
  const ways: Readonly<Record<string, (value: unknown) => Promise<Answered>>> = {
    create: (it) => api.post('/companies', { name: 'Acme', custom_fields: { it } }),
    put: (it) => api.put(`/companies/${target}`, { custom_fields: { it } }),
    patch: (it) => api.patch(`/companies/${target}`, { custom_fields: { it } }),
    'upsert that creates': (it) => upsert(workspace, `${newHost()}.example`, it),
    'upsert that updates': (it) => upsert(workspace, 'target.example', it),
  }

  const all = Object.entries(ways)
  let calls = 0
  /** All ways share one parser, so `npm test` tries all of them with the first values, and then one after the other. */
  const tried = () => {
    const way = all[calls++ % all.length]
    return isLong || calls <= 2 || way === undefined ? all : [way]
  }

  return {
    workspace,
    options,
    async shown(value) {
      const seen = new Map<string, unknown>()
      for (const [way, write] of tried()) {
        await api.put(`/companies/${target}`, { custom_fields: { it: null } })
        const answer = await write(value)
        expect(answer.status, `${way}: ${answer.text.slice(0, 500)}`).toBe(way.includes('create') ? 201 : 200)
        const { id, attributes } = answer.body.data
        const read = await api.get(`/companies/${id}`)
        expect(read.body.data.attributes, way).toEqual(attributes)
        seen.set(way, attributes.custom_fields.it)
      }
      const [first, ...others] = seen.values()
      for (const other of others) expect(other).toEqual(first)
      return first
    },
    async refused(value) {
      const before = await api.get('/companies')
      const errors: unknown[] = []
      for (const [way, write] of tried()) {
        const answer = await write(value)
        expect(answer.status, `${way}: ${answer.text.slice(0, 500)}`).toBe(422)
        errors.push(answer.body.errors)
      }
      const after = await api.get('/companies')
      expect(after.body.data).toEqual(before.body.data)
      expect(after.body.meta.total).toBe(before.body.meta.total)
      for (const other of errors) expect(other).toEqual(errors[0])
      // Asserted above: all are the errors of a 422.
      return errors[0] as Record<string, string[]>
    },
  }
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
