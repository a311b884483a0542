import { OPTIONS_MAX } from '@kith/contract/limits'
import { beforeAll, describe, expect, it } from 'vitest'
import { made, NOWHERE, problemsOf } from '../../records.ts'
import { expectOneEffect, keyed } from '../../same-key.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'
import { follow, now, told } from '../changes/feed.ts'

let workspace: TestWorkspace
beforeAll(async () => {
  workspace = await newWorkspace()
})

const stage = '/schema/opportunities/fields/stage/options'

describe('sync 7. POST …/fields/{code}/options', () => {
  it('201 {data: {id, type: "options", attributes}}, or 200 with the existing option of this label', async () => {
    const { api } = workspace
    const created = await api.post(stage, { label: ' On hold ', color: 'pink' })
    const attributes = { label: 'On hold', color: 'pink', position: 11 }
    expect([created.status, created.body]).toEqual([
      201,
      { data: { id: expect.any(String), type: 'options', attributes } },
    ])
    const again = await api.post(stage, { label: 'ON HOLD', color: 'red' })
    expect([again.status, again.body]).toEqual([200, created.body])
    expect(again.headers.get('x-schema-version')).toBe(created.headers.get('x-schema-version'))
    const record = await made(api, 'opportunities', { custom_fields: { stage: 'on hold' } })
    expect(record.attributes.custom_fields.stage.id).toBe(created.body.data.id)
  })

  it('what is wrong is refused: labels, colors, unknown keys, fields without options', async () => {
    const { api } = workspace
    const problems = await problemsOf(api.post(`${stage}?x=1`, { color: 'mauve', positon: 1 }))
    expect(Object.keys(problems)).toEqual(['x', 'positon', 'label', 'color'])
    expect(Object.keys(await problemsOf(api.post(stage, { label: 'x'.repeat(256) })))).toEqual(['label'])
    const text = '/schema/people/fields/job_title/options'
    expect((await problemsOf(api.post(text, { label: 'A' }))).code?.[0]).toContain('has no options')
    const many = Array.from({ length: OPTIONS_MAX }, (_, index) => `Option ${index}`)
    await workspace.field('notes', { name: 'Many', type: 'select', options: many })
    const full = api.post('/schema/notes/fields/many/options', { label: 'One more' })
    expect((await problemsOf(full)).label?.[0]).toContain(`has ${OPTIONS_MAX} options already`)
    expect((await api.post('/schema/notes/fields/many/options', { label: 'option 7' })).status).toBe(200)
  })

  it('of two at the same time with one label the first is 201 and the second 200', async () => {
    const { api } = workspace
    const answers = await Promise.all(['Race', 'race', 'RACE'].map((label) => api.post(stage, { label })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 201])
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  })
})

describe('sync 7. PUT, DELETE …/fields/{code}/options/{option_id}', () => {
  it('200: the label, the color and the position change, the id and the records stay', async () => {
    const { api } = workspace
    const { options } = await workspace.field('tasks', { name: 'Kind', type: 'select', options: ['A', 'B', 'C'] })
    const path = `/schema/tasks/fields/kind/options/${options[2]?.id.toUpperCase()}`
    const record = await made(api, 'tasks', { custom_fields: { kind: 'C' } })
    const put = await api.put(path, { label: 'Z', position: 1 })
    expect(put.body.data).toMatchObject({ id: options[2]?.id, attributes: { label: 'Z', position: 1 } })
    const { attributes } = (await api.get(`/tasks/${record.id}`)).body.data
    expect(attributes.custom_fields.kind).toEqual({ id: options[2]?.id, label: 'Z' })
    expect(attributes.updated_at).toBe(record.attributes.updated_at)
    const same = await api.put(path, put.body.data.attributes)
    expect([same.body, same.headers.get('x-schema-version')]).toEqual([put.body, put.headers.get('x-schema-version')])
    expect((await api.put(path, { label: 'z' })).body.data.attributes.label).toBe('z')
    const problems = await problemsOf(api.put(`${path}?x=1`, { label: 'a', position: 0, id: 1 }))
    expect(Object.keys(problems)).toEqual(['x', 'id', 'position', 'label'])
    expect(problems.label).toEqual(['The field has another option "A".'])
    for (const id of [NOWHERE, 'nothing']) {
      expect((await api.put(`/schema/tasks/fields/kind/options/${id}`, { label: '' })).status).toBe(404)
      expect((await api.delete(`/schema/tasks/fields/kind/options/${id}`)).status).toBe(404)
    }
  })

  it('204, and X-Records-Changed is the number of records cleared, each with its entry', async () => {
    const { api } = workspace
    const { options } = await workspace.field('people', { name: 'Likes', type: 'multi-select', options: ['A', 'B'] })
    const ids: string[] = []
    for (const likes of [['A'], ['A', 'B'], ['B'], ['A']]) {
      ids.push((await made(api, 'people', { custom_fields: { likes } })).id)
    }
    await api.delete(`/people/${ids[3]}`)
    const cursor = await now(workspace)
    const path = `/schema/people/fields/likes/options/${options[0]?.id}`
    expect(Object.keys(await problemsOf(api.delete(`${path}?force=1`)))).toEqual(['force'])
    const send = () => api.delete(path, keyed('option 1'))
    const removed = await send()
    expect([removed.status, removed.text, removed.headers.get('x-records-changed')]).toEqual([204, '', '2'])
    const replayed = await send()
    expect([replayed.status, replayed.headers.get('x-records-changed')]).toEqual([204, '2'])
    expect(replayed.headers.get('idempotent-replayed')).toBe('true')
    const { entries } = await follow(workspace, cursor)
    const cleared = 'updated people custom_fields.likes'
    expect(entries.map(told)).toEqual(['updated custom_fields options', cleared, cleared])
    const unused = await api.delete(`/schema/people/fields/likes/options/${options[1]?.id}`)
    expect(unused.headers.get('x-records-changed')).toBe('2')
  })

  it('a key takes effect once', async () => {
    const send = () => workspace.api.post(stage, { label: 'Keyed' }, keyed('option 2'))
    await expectOneEffect([send(), send()])
  })

  it('a write of an option that is being removed is refused, or its value is cleared', async () => {
    const { api } = workspace
    const labels = Array.from({ length: 6 }, (_, index) => `L${index}`)
    const { options } = await workspace.field('companies', { name: 'Level', type: 'select', options: labels })
    for (const { id } of options) {
      const [written, removed] = await Promise.all([
        api.post('/companies', { name: 'One', custom_fields: { level: id } }),
        api.delete(`/schema/companies/fields/level/options/${id}`),
      ])
      expect(removed.status).toBe(204)
      expect(removed.headers.get('x-records-changed')).toBe(written.status === 201 ? '1' : '0')
      if (written.status !== 201) expect(Object.keys(written.body.errors)).toEqual(['custom_fields.level'])
      const held = await api.get('/companies?filter[custom_fields][level][$is_empty]=false')
      expect(held.body.data).toEqual([])
      const [first] = (await api.get('/companies')).body.data
      if (first) expect(first.attributes.custom_fields.level).toBeNull()
    }
  })
})

describe('the probability of an option', () => {
  it('is set with fields and options, kept when it is absent, cleared by null, and shown by schemas where it is set', async () => {
    const { api } = await newWorkspace()
    const fields = '/schema/companies/fields'
    const options = [{ label: 'Open', probability: 30 }, 'Unknown', { label: 'Lost', probability: 0 }]
    const made = await api.post(fields, { name: 'Phase', type: 'select', options })
    const [open] = made.body.data.attributes.options
    expect(Object.keys(open)).toEqual(['id', 'label', 'color'])
    const shown = async (): Promise<{ label: string; probability?: number }[]> => {
      const { body } = await api.get('/schema/companies')
      return body.data.attributes.custom_fields.phase.options
    }
    const probabilities = async () => (await shown()).map(({ label, probability }) => [label, probability])
    expect(await probabilities()).toEqual([
      ['Open', 30],
      ['Unknown', undefined],
      ['Lost', 0],
    ])
    expect((await shown()).map((option) => 'probability' in option)).toEqual([true, false, true])
    // What was read without probabilities is sent back: they stay.
    await api.put(`${fields}/phase`, { options: made.body.data.attributes.options })
    await api.put(`${fields}/phase`, { rename_options: [{ from: 'Open', to: 'Begun' }] })
    expect(await probabilities()).toContainEqual(['Begun', 30])
    const put = await api.put(`${fields}/phase/options/${open.id}`, { probability: 45 })
    expect(put.body.data.attributes).toEqual({ label: 'Begun', color: open.color, position: 1, probability: 45 })
    const added = await api.post(`${fields}/phase/options`, { label: 'Won', probability: 100 })
    expect(added.body.data.attributes).toMatchObject({ label: 'Won', probability: 100 })
    await api.put(`${fields}/phase/options/${open.id}`, { probability: null })
    await api.put(`${fields}/phase`, { options: await shown() })
    expect(await probabilities()).toEqual([
      ['Begun', undefined],
      ['Unknown', undefined],
      ['Lost', 0],
      ['Won', 100],
    ])
    const { body } = await api.get('/custom-fields?entity_type=companies')
    expect(body.data.at(-1).attributes.options.map((option: object) => Object.keys(option))).toEqual(
      Array.from({ length: 4 }, () => ['id', 'label', 'color']),
    )
  })

  it('is a whole number from 0 to 100', async () => {
    const { api } = await newWorkspace()
    for (const probability of [-1, 101, 1.5, '50', true]) {
      const problems = await problemsOf(api.post(stage, { label: 'Odd', probability }))
      expect(problems).toEqual({ probability: ['The probability must be a whole number from 0 to 100.'] })
    }
    const options = [{ label: 'A', probability: 101 }]
    const field = api.post('/schema/companies/fields', { name: 'Phase', type: 'select', options })
    expect(Object.keys(await problemsOf(field))).toEqual(['options.0.probability'])
  })

  it('the stages of a new workspace have one', async () => {
    const { api } = await newWorkspace()
    const { options } = (await api.get('/schema/opportunities')).body.data.attributes.custom_fields.stage
    const shown = options.map(({ probability }: { probability: number }) => probability)
    expect(shown).toEqual([10, 20, 30, 40, 50, 60, 70, 85, 100, 0])
  })
})
