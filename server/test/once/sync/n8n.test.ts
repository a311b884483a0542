import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'
import { Kith } from '../../../../examples/n8n/kith.ts'
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
    const comment = await run([{ resource, operation: 'comment', id, body: 'Called.' }])
    expect(comment[0]?.json.attributes.body).toBe('Called.')
    expect(await run([{ resource, operation: 'history', id, limit: 1 }])).toMatchObject([
      { json: { attributes: { changes: [{ before: 'One' }] } } },
    ])
    const found = await run([{ resource, operation: 'search', query: 'First', limit: 500 }])
    expect(found.map(({ json }) => json.id)).toEqual([id])
    await run([{ resource, operation: 'delete', id }])
    expect(await run([{ resource, operation: 'list', filter: {}, limit: 100 }])).toHaveLength(2)
    expect((await run([{ resource, operation: 'restore', id }]))[0]?.json.id).toBe(id)
  }
  await expect(run([{ resource: 'companies', operation: 'create', attributes: '[' }])).rejects.toThrow(
    'Attributes must',
  )
  await expect(run([{ resource: 'companies', operation: 'merge' }])).rejects.toThrow('The operation must be one of')
})

it('the n8n package has no dependencies, and n8n finds in it the classes that its manifest names', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kith-n8n-'))
  try {
    const program = join(import.meta.dirname, '../../../../examples/n8n/build.ts')
    execFileSync(process.execPath, [program, folder], { stdio: 'pipe' })
    const { dependencies, n8n, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    expect([dependencies, version]).toEqual([undefined, JSON.parse(readFileSync('package.json', 'utf8')).version])
    const files: string[] = [...n8n.nodes, ...n8n.credentials]
    // In a process without the packages of this repository.
    const load = 'const [path, name] = process.argv.slice(1); console.log(new (require(path)[name])())'
    for (const file of files) {
      const [name = ''] = basename(file).split('.')
      expect(readFileSync(join(folder, file), 'utf8')).not.toMatch(/\brequire\((?!["']node:)/)
      execFileSync(process.execPath, ['-e', load, join(folder, file), name], { cwd: folder })
    }
    const { Kith: Packed } = createRequire(import.meta.url)(join(folder, 'nodes/Kith.node.js'))
    expect(JSON.stringify(new Packed().description)).toBe(JSON.stringify(new Kith().description))
  } finally {
    rmSync(folder, { recursive: true })
  }
})
