import { registry } from '@kith/contract/registry'
import type { BuiltInName } from '@kith/contract/resource'
import { mergeRecords } from '../../../src/records/merge/merge.ts'
import { made } from '../../records.ts'
import { newWorkspace } from '../../workspace.ts'

export type MergeWorkspace = Awaited<ReturnType<typeof mergeWorkspace>>

/** A workspace, and what tests of merges do there. */
export async function mergeWorkspace() {
  const workspace = await newWorkspace()
  const { api, updateField } = workspace
  return {
    ...workspace,
    /** Makes companies that share a domain, which a unique field allows only while it is not unique. */
    async twins(count = 2, domain = 'acme.example'): Promise<string[]> {
      await updateField('companies', 'domains', { unique: false })
      const ids: string[] = []
      for (let index = 0; index < count; index++) {
        const custom_fields = { domains: [domain, `own-${index}.example`] }
        ids.push((await made(api, 'companies', { name: `Acme ${index}`, custom_fields })).id)
      }
      await updateField('companies', 'domains', { unique: true })
      return ids
    },
    async merge(type: BuiltInName, input: object) {
      return mergeRecords(await workspace.scope(), registry[type], input)
    },
    async attributes(type: BuiltInName, id: string) {
      return (await api.get(`/${type}/${id}`)).body.data?.attributes
    },
    async linked(type: BuiltInName, id: string, relation: string): Promise<string[]> {
      const { data } = (await api.get(`/${type}/${id}?include=${relation}`)).body
      return data.relationships[relation].data.map((one: { id: string }) => one.id)
    },
  }
}
