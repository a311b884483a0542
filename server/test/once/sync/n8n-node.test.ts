import { expect, it } from 'vitest'
import { Kith } from '../../../../examples/n8n-node/kith.ts'
import { workspaceWithOwn } from '../../own-resource.ts'

type Parameters = Readonly<Record<string, unknown>>

it('the n8n node carries out each operation for each item, on built-in and own resources', async () => {
  const { api } = await workspaceWithOwn()
  const credentials = { getCredentials: async () => ({ url: api.base, token: api.token }) }
  const node = new Kith()
  const run = async (items: readonly Parameters[], continues = false) => {
    const context = {
      ...credentials,
      getInputData: () => items.map(() => ({ json: {} })),
      getNodeParameter: (name: string, item: number, fallback?: unknown) => items[item]?.[name] ?? fallback,
      continueOnFail: () => continues,
    }
    const [output = []] = await node.execute.call(context)
    // biome-ignore lint/suspicious/noExplicitAny: records and failures.
    return output as { json: any; pairedItem: number }[]
  }
  const options = await node.methods.loadOptions.resources.call(credentials)
  expect(options).toContainEqual({ name: 'Projects', value: 'projects' })
  for (const { value: resource } of options.filter(({ value }) => ['companies', 'projects'].includes(value))) {
    const names = ['One', 'Two'].map((name) => ({
      resource,
      operation: 'create',
      attributes: JSON.stringify({ name }),
    }))
    const made = await run(names)
    expect(made.map(({ json, pairedItem }) => [json.attributes.name, pairedItem])).toEqual([
      ['One', 0],
      ['Two', 1],
    ])
    const id = made[0]?.json.id
    const match = { matchField: 'external_ids.n8n', matchValue: '7' }
    const upsert = { resource, operation: 'upsert', attributes: { name: 'Three' }, ...match }
    expect((await run([upsert, upsert])).map(({ json }) => json.created)).toEqual([true, false])
    await run([{ resource, operation: 'update', id, attributes: { name: 'First' } }])
    expect((await run([{ resource, operation: 'get', id }]))[0]?.json.attributes.name).toBe('First')
    const filter = '{"name": {"$in": ["First"]}}'
    const refused = await run(
      [
        { resource, operation: 'list', filter },
        { resource, operation: 'list', limit: 2 },
      ],
      true,
    )
    expect(refused[0]?.json.error).toContain('$in')
    expect(refused.slice(1)).toHaveLength(2)
    await run([{ resource, operation: 'delete', id }])
    expect(await run([{ resource, operation: 'list', filter: {}, limit: 100 }])).toHaveLength(2)
  }
  await expect(run([{ resource: 'companies', operation: 'create', attributes: '[' }])).rejects.toThrow(
    'Attributes must',
  )
  await expect(run([{ resource: 'companies', operation: 'merge' }])).rejects.toThrow('The operation must be one of')
})
