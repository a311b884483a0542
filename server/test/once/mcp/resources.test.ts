import { describe, expect, it } from 'vitest'
import manifest from '../../../package.json' with { type: 'json' }
import { made } from '../../records.ts'
import { connectTo } from '../../tool-client.ts'
import { newWorkspace } from '../../workspace.ts'

describe('resources and the prompt', () => {
  it('hold the schema of each resource and the workspace in short', async () => {
    const workspace = await newWorkspace()
    const { client, call } = await connectTo(workspace)
    await made(workspace.api, 'companies', { name: 'Acme' })
    const { resources } = await client.listResources()
    expect(resources.map(({ uri }) => uri)).toEqual([
      'kith://workspace',
      ...['companies', 'people', 'opportunities', 'tasks', 'notes'].map((name) => `kith://schema/${name}`),
    ])
    const read = async (uri: string) => {
      const [content] = (await client.readResource({ uri })).contents
      expect(content).toMatchObject({ uri, mimeType: 'application/json' })
      return JSON.parse(content && 'text' in content ? content.text : '')
    }
    expect(await read('kith://schema/people')).toEqual(await call('describe_resource', { resource: 'people' }))
    expect(await read('kith://workspace')).toMatchObject({
      workspace: { slug: workspace.slug },
      role: 'owner',
      resources: expect.arrayContaining([
        { resource: 'companies', records: 1, custom_fields: ['domains', 'linkedin', 'icp'] },
      ]),
    })
    await expect(client.readResource({ uri: 'kith://schema/firms' })).rejects.toThrow(
      'There is no resource kith://schema/firms',
    )
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual([])
  })

  it('the prompt asks for an overview of what is there', async () => {
    const workspace = await newWorkspace()
    const { client } = await connectTo(workspace)
    expect((await client.listPrompts()).prompts).toMatchObject([
      { name: 'overview', title: 'Overview of the workspace' },
    ])
    const { messages } = await client.getPrompt({ name: 'overview', arguments: { focus: 'Acme' } })
    const [message] = messages
    expect(message).toMatchObject({ role: 'user', content: { type: 'text' } })
    expect(JSON.stringify(message)).toContain(`overview of the workspace Workspace ${workspace.slug}`)
    expect(JSON.stringify(message)).toContain('Look more closely at: Acme.')
    await expect(client.getPrompt({ name: 'overvew' })).rejects.toThrow('Did you mean overview?')
  })

  it('are not there for a token that cannot read', async () => {
    const { client } = await connectTo(await newWorkspace(), { abilities: ['create'] })
    expect((await client.listResources()).resources).toEqual([])
    expect((await client.listPrompts()).prompts).toEqual([])
    await expect(client.readResource({ uri: 'kith://workspace' })).rejects.toThrow('lacks the "read" ability')
    await expect(client.getPrompt({ name: 'overview' })).rejects.toThrow('lacks the "read" ability')
  })
})

describe('the server', () => {
  it('says who it is and how it is used', async () => {
    const { client } = await connectTo(await newWorkspace())
    expect(client.getServerVersion()).toMatchObject({ name: 'kith', title: 'Kith', version: manifest.version })
    expect(client.getInstructions()).toContain('describe_resource')
  })
})
