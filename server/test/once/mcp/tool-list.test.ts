import { readFileSync } from 'node:fs'
import { abilities } from '@kith/contract/abilities'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { estimateTokens } from '../../../src/mcp/record-text.ts'
import { made } from '../../records.ts'
import { connectTo } from '../../tool-client.ts'
import { newWorkspace } from '../../workspace.ts'

/**
 * What each tool needs: the abilities of the token, and whether only admins may. Written down here a second time on
 * purpose.
 */
const needed: Readonly<Record<string, { abilities: readonly string[]; admin?: true; any?: true; reads?: true }>> = {
  whoami: { abilities: [] },
  list_members: { abilities: ['read'] },
  search: { abilities: ['read'] },
  fetch: { abilities: ['read'] },
  describe_resource: { abilities: ['read'] },
  list_records: { abilities: ['read'] },
  list_views: { abilities: ['read'] },
  get_record: { abilities: ['read'] },
  list_files: { abilities: ['read'] },
  add_comment: { abilities: ['create'] },
  create_record: { abilities: ['create'] },
  update_record: { abilities: ['update'] },
  upsert_record: { abilities: ['create', 'update'] },
  delete_record: { abilities: ['delete'] },
  // One of them is enough to be listed: the operations decide.
  batch_records: { abilities: ['create', 'update', 'delete'], any: true },
  restore_record: { abilities: ['update', 'delete'] },
  get_timeline: { abilities: ['read'] },
  record_history: { abilities: ['read'] },
  list_changes: { abilities: ['read'] },
  // And delete, unless the changes are updates.
  undo_changes: { abilities: ['update'] },
  // It only reads, but what was deleted is for those who delete.
  list_trash: { abilities: ['read', 'delete'], reads: true },
  find_duplicates: { abilities: ['read'] },
  merge_records: { abilities: ['update', 'delete'] },
  summarize: { abilities: ['read'] },
  list_fields: { abilities: ['read'] },
  create_field: { abilities: ['create'], admin: true },
  update_field: { abilities: ['update'], admin: true },
}

const names = Object.keys(needed)

describe('every tool', () => {
  it('answers null for all that may be left out with a result or a refusal', async () => {
    const workspace = await newWorkspace()
    const { client } = await connectTo(workspace)
    const { id } = await made(workspace.api, 'companies', { name: 'Acme' })
    const given = { resource: 'companies', id, query: 'acme', type: 'text', name: 'Acme', code: 'acme', winner_id: id }
    for (const { name, inputSchema } of (await client.listTools()).tools) {
      const { properties = {}, required = [] } = inputSchema
      const needed = Object.entries(given).filter(([key]) => required.includes(key))
      const nulls = Object.fromEntries(Object.keys(properties).map((key) => [key, null]))
      const input = { ...nulls, ...Object.fromEntries(needed) }
      // It throws if the answer is an error of the protocol.
      await expect(client.callTool({ name, arguments: input }), name).resolves.toHaveProperty('content')
    }
  })
})

describe("the server's own list", () => {
  it('holds every tool with name, title, description, annotations and schemas', async () => {
    const { client } = await connectTo(await newWorkspace())
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(names)
    const ajv = new Ajv2020({ strict: true })
    for (const { name, title, description = '', annotations, inputSchema, outputSchema } of tools) {
      expect(name).toMatch(/^[a-z]+(_[a-z]+)?$/)
      expect(title, name).toMatch(/^[A-Z]/)
      expect(annotations, name).toEqual({
        readOnlyHint: expect.any(Boolean),
        destructiveHint: expect.any(Boolean),
        idempotentHint: expect.any(Boolean),
        openWorldHint: false,
      })
      const { abilities: list = [], reads = list.every((ability: string) => ability === 'read') } = needed[name] ?? {}
      expect(annotations?.readOnlyHint, name).toBe(reads)
      expect(annotations?.readOnlyHint && annotations.destructiveHint, name).toBe(false)
      expect(description.length, name).toBeGreaterThan(60)
      expect(description.length, name).toBeLessThan(600)
      for (const schema of outputSchema ? [inputSchema, outputSchema] : [inputSchema]) {
        expect(schema, name).toMatchObject({ type: 'object', additionalProperties: false })
        expect(() => ajv.compile(schema), name).not.toThrow()
        // Some models reject a type that is a list.
        expect(JSON.stringify(schema), name).not.toMatch(/"type":\[/)
      }
      for (const [key, property] of Object.entries(inputSchema.properties ?? {})) {
        expect(property, `${name}.${key}`).toHaveProperty('description')
      }
    }
  })

  it('marks as destructive what overwrites or takes away', async () => {
    const { client } = await connectTo(await newWorkspace())
    const { tools } = await client.listTools()
    const destructive = tools.filter(({ annotations }) => annotations?.destructiveHint).map(({ name }) => name)
    expect(destructive).toEqual([
      'update_record',
      'upsert_record',
      'delete_record',
      'batch_records',
      'undo_changes',
      'merge_records',
      'update_field',
    ])
  })

  it.each([
    [7000, abilities],
    [4000, ['read'] as const],
  ])('costs a model at most %i tokens with the abilities %j', async (most, granted) => {
    const { client } = await connectTo(await newWorkspace(), { abilities: [...granted] })
    const { tools } = await client.listTools()
    expect(estimateTokens(JSON.stringify(tools))).toBeLessThanOrEqual(most)
  })
})

describe('docs/integrate/mcp.md', () => {
  it('names every tool, and what it needs', () => {
    const page = readFileSync(new URL('../../../../docs/integrate/mcp.md', import.meta.url), 'utf8')
    const rows = [...page.matchAll(/^\| ((?:`[a-z_]+`(?:, )?)+) \|([^|]*)\|/gm)]
    const told = rows.flatMap(([, tools = '', needs = '']) => {
      const [asked = '', who = ''] = needs.split(';')
      const list = tools.replaceAll('`', '').split(', ')
      // Where a row has two tools, each needs its own of the abilities.
      return list.map((name, place) => {
        const words = asked
          .split(',')
          .map((one) => one.trim())
          .filter((one) => one !== '')
        return { name, abilities: list.length > 1 ? words.slice(place, place + 1) : words, admin: who !== '' }
      })
    })
    const known = names.map((name) => ({
      name,
      abilities: needed[name]?.abilities,
      admin: needed[name]?.admin === true,
    }))
    const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1)
    expect(told.sort(byName)).toEqual(known.sort(byName))
  })
})

/** Whether a tool is listed for an actor that has some abilities. */
function isListed(name: string, has: (ability: string) => boolean): boolean {
  const { abilities: list = [], any } = needed[name] ?? {}
  return any ? list.some(has) : list.every(has)
}

describe('a tool that is not allowed is not listed, and refused if called', () => {
  it.each(abilities)('a token with %s alone', async (ability) => {
    const { names: listed, refused } = await connectTo(await newWorkspace(), { abilities: [ability] })
    const allowed = names.filter((name) => isListed(name, (one) => one === ability))
    expect(await listed()).toEqual(allowed)
    for (const name of names.filter((one) => !allowed.includes(one))) {
      // Refused for the ability, and not for the arguments, which are wrong, too.
      expect(await refused(name, {}), name).toMatch(/^This access token lacks the ".+" abilit(y|ies)\.$/)
    }
  })

  it('a viewer', async () => {
    const workspace = await newWorkspace()
    const { names: listed, refused } = await connectTo(workspace, { user: await workspace.member('viewer') })
    const allowed = names.filter((name) => isListed(name, (one) => one === 'read'))
    expect(await listed()).toEqual(allowed)
    for (const name of names.filter((one) => !allowed.includes(one))) {
      expect(await refused(name, {}), name).toMatch(/^Your role in this workspace \(viewer\) does not allow you to/)
    }
  })

  it('a member who manages no fields', async () => {
    const workspace = await newWorkspace()
    const { names: listed, refused } = await connectTo(workspace, { user: await workspace.member('member') })
    expect(await listed()).toEqual(names.filter((name) => !needed[name]?.admin))
    for (const name of names.filter((one) => needed[one]?.admin)) {
      expect(await refused(name, {}), name).toMatch(/\(member\) does not allow you to change custom fields/)
    }
  })
})
