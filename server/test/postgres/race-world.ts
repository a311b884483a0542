import { registry } from '@kith/contract/registry'
import type { ResourceName } from '@kith/contract/resource'
import { createRecord } from '../../src/records/write.ts'
import type { Scope } from '../../src/scope/scope.ts'
import type { TestWorkspace } from '../workspace.ts'

export const sent = (body: unknown) => ({ body, asked: { raw: {}, loose: true, issues: [] } })

export async function made(scope: Scope, type: ResourceName, body: object): Promise<string> {
  const label = { [registry[type].label]: 'One' }
  return String((await createRecord(scope, registry[type], sent({ ...label, ...body }))).data()[0]?.id)
}

type World = { workspace: TestWorkspace; scope: Scope; winner: string; loser: string }

/** Two companies in a workspace whose companies have a unique code. */
export async function raceWorld(own: { workspace(): Promise<TestWorkspace> }): Promise<World> {
  const workspace = await own.workspace()
  await workspace.field('companies', { name: 'Code', type: 'text', unique: true })
  const scope = await workspace.scope()
  const [winner, loser] = [await made(scope, 'companies', {}), await made(scope, 'companies', {})]
  return { workspace, scope, winner, loser }
}

export const code = (value: string | null) => ({ custom_fields: { code: value } })

export async function holdersOf({ api }: TestWorkspace, value: string): Promise<string[]> {
  const { body } = await api.get(`/companies?filter[custom_fields][code][$eq]=${value}`)
  return body.data.map((one: { id: string }) => one.id)
}

export async function shown({ api }: TestWorkspace, type: ResourceName, id: string, include = '') {
  return (await api.get(`/${type}/${id}${include && `?include=${include}`}`)).body.data
}
